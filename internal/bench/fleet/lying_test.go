package fleet

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// TestLyingNode checks that a node with the rights from fleet init cannot change what NATS stores
// for other members or deceive them, by making NATS send acknowledgements to subjects of another
// node, the gateway and NATS itself.
func TestLyingNode(t *testing.T) {
	t.Parallel()
	for name, strict := range map[string]bool{"strict": true, "lenient": false} { // like NATS servers before 2.12
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lies(t, strict)
		})
	}
}

// lies runs TestLyingNode with a NATS server whose checks of JetStream requests are strict or
// not.
func lies(t *testing.T, strict bool) {
	dir := fleetDir(t)
	initFleet(t, "--host", "127.0.0.1", "--node", "one,two", "--gateway", "gate", dir)
	o, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	adminSeed, admin := user(t, nil)
	o.NoJetStreamStrict = !strict
	o.Port, o.StoreDir, o.Nkeys = server.RANDOM_PORT, t.TempDir(), append(o.Nkeys, admin)
	at := strings.Replace(startNATS(t, *o).ClientURL(), "nats://", "tls://", 1)
	flags := func(name, kind string) []string {
		return []string{recording, "--fleet-creds", filepath.Join(dir, name+kind), "--audit-log", filepath.Join(dir, name+".audit")}
	}
	gate := startNode(t, at, "gate", append(flags("gate", ".gateway"), "--gateway")...)
	one := startNode(t, at, "one", flags("one", ".node")...)
	gate.await("the node", func() bool {
		_, _, err := gate.invoke(t.Context(), "list_sessions", args{"host": "one"})
		return err == nil
	})
	id := gate.start("one")
	gate.call("send_and_read", args{"session_id": id, "text": "echo $((6*7))", "press_enter": true})

	a := watchStreams(t, at, dir, adminSeed)
	said := func(words ...string) string {
		flags := []string{"--fleet", at, "--fleet-creds", filepath.Join(dir, "gate.gateway"), "--node", "gate"}
		out, err := command(append(words, flags...)...).CombinedOutput()
		if err != nil {
			return fmt.Sprint(string(out), err)
		}
		return string(out)
	}
	one.await("the recording", func() bool { return strings.Contains(said("export", "--format", "text", id), "\n42\n") })
	one.await("the audit records", func() bool { return said("fleet", "audit", "one") == auditFile(t, filepath.Join(dir, "one.audit")) })
	one.await("the record", func() bool { return strings.Contains(a.contents(a.subjects("one")), `\"sessions\":1`) })

	liar := &liar{t: t, admin: a, refused: make(chan error, 1<<16)}
	liar.conn = a.connect(filepath.Join(dir, "two.node"), nats.CustomInboxPrefix("_INBOX.two"),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { liar.refused <- err }))
	liar.readsNothing()
	known := a.subjects("one", "gate")
	var targets []string
	for _, s := range known {
		targets = append(targets, guesses(s)...)
	}
	targets = append(targets, "glasstty.from.one.state", "glasstty.to.one._.drain.gate", "glasstty.to.one._.who.gate", "glasstty.who.gate",
		"glasstty.from.one.rec.x.s9-1.meta.0", "glasstty.from.one.rec.x.s9-1.0.0", "glasstty.from.one.rec.s9-1.meta.0",
		"glasstty.from.one.audit.99.0123456789abcdef", "$KV.glasstty-nodes.three", "$KV.glasstty-nodes.three.x",
		"$JS.API.ACCOUNT.PURGE.$G", "$JS.ACK.glasstty-audit.x.1.1.1.1.0", "$JS.FC.glasstty-audit.x", "$SYS.REQ.ACCOUNT.PING.CONNZ", "$SYS.REQ.SERVER.PING")
	for _, stream := range []string{"KV_glasstty-nodes", "glasstty-recordings", "glasstty-audit"} {
		for _, verb := range []string{"STREAM.DELETE", "STREAM.PURGE", "STREAM.UPDATE", "STREAM.CREATE", "STREAM.MSG.DELETE", "STREAM.MSG.GET", "STREAM.SNAPSHOT",
			"STREAM.PEER.REMOVE", "STREAM.LEADER.STEPDOWN", "CONSUMER.CREATE", "DIRECT.GET"} {
			targets = append(targets, "$JS.API."+verb+"."+stream)
		}
	}
	before := a.contents(known)
	liar.misdirect(targets)
	if after := a.contents(known); after != before {
		t.Errorf("NATS stores for the other members\n%s\nand before the attack\n%s", after, before)
	}
	if text, _ := gate.call("list_sessions", nil); !strings.Contains(text, id) || strings.Contains(text, "s9") || strings.Contains(text, "three") {
		t.Errorf("list_sessions answers %s", text)
	}
	if out := said("fleet"); !strings.Contains(out, "one") || strings.Contains(out, "draining") || strings.Contains(out, "three") {
		t.Errorf("glasstty fleet prints %s", out)
	}
	if said("fleet", "audit", "one") != auditFile(t, filepath.Join(dir, "one.audit")) {
		t.Errorf("the audit lines of the node are %s", said("fleet", "audit", "one"))
	}

	one.end(syscall.SIGKILL)
	late := startNode(t, at, "gate", append(flags("gate", ".gateway"), "--gateway")...)
	if text, _ := late.call("list_sessions", nil); !strings.Contains(text, id+" unreachable") || strings.Contains(text, "s9") {
		t.Errorf("with the node down, list_sessions answers %s", text)
	}
	if text, _ := late.call("snapshot", args{"session_id": id}); !strings.Contains(text, "\n42\n") {
		t.Errorf("the recording shows %s", text)
	}
	if out := said("fleet", "forget", "one"); !strings.Contains(out, "one: lost") {
		t.Errorf("forget prints %s", out)
	}
	known = slices.DeleteFunc(a.subjects("one"), func(s string) bool { return slices.Contains(targets, s) })
	before = a.contents(known)
	for _, s := range known {
		liar.misdirect(guesses(s))
	}
	if after := a.contents(known); after != before {
		t.Errorf("NATS stores for the lost node\n%s\nand before the attack\n%s", after, before)
	}
	if out := said("fleet"); !strings.Contains(strings.Join(strings.Fields(out), " "), "one lost") {
		t.Errorf("glasstty fleet prints %s", out)
	}
	startIn(t, one.home, at, "one", flags("one", ".node")...) // stopping this server will end its programs
}

// guesses returns the subjects that someone who does not know the secret in a subject might
// guess.
func guesses(subject string) (out []string) {
	tokens := strings.Split(subject, ".")
	for i, token := range tokens {
		if secret := len(token) == 32 || len(token) == 26; secret {
			for _, guess := range []string{"_", "x", strings.Repeat("0", len(token))} {
				other := append([]string{}, tokens...)
				other[i] = guess
				out = append(out, strings.Join(other, "."))
			}
			return append(out, strings.Join(append(append([]string{}, tokens[:i]...), tokens[i+1:]...), "."))
		}
	}
	return []string{subject}
}

// A streamWatcher reads everything that NATS stores.
type streamWatcher struct {
	t    *testing.T
	url  string
	cert string
	conn *nats.Conn
	js   nats.JetStreamContext
}

// watchStreams returns a streamWatcher that connects with an administrator's seed.
func watchStreams(t *testing.T, url, dir, seed string) *streamWatcher {
	t.Helper()
	w := &streamWatcher{t: t, url: url, cert: filepath.Join(dir, "cert.pem")}
	w.conn = w.connect(seed)
	var err error
	if w.js, err = w.conn.JetStream(); err != nil {
		t.Fatal(err)
	}
	return w
}

// connect connects with a seed.
func (w *streamWatcher) connect(seed string, more ...nats.Option) *nats.Conn {
	w.t.Helper()
	key, err := nats.NkeyOptionFromSeed(seed)
	if err != nil {
		w.t.Fatal(err)
	}
	conn, err := nats.Connect(w.url, append(more, key, nats.RootCAs(w.cert), nats.Timeout(patience))...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(conn.Close)
	return conn
}

// subjects returns the subjects of the members in all streams.
func (w *streamWatcher) subjects(members ...string) (out []string) {
	w.t.Helper()
	for _, m := range members {
		for stream, filter := range map[string]string{"KV_glasstty-nodes": "$KV.glasstty-nodes." + m + ".>",
			"glasstty-recordings": "glasstty.from." + m + ".rec.>", "glasstty-audit": "glasstty.from." + m + ".audit.>"} {
			info, err := w.js.StreamInfo(stream, &nats.StreamInfoRequest{SubjectsFilter: filter})
			if err != nil {
				w.t.Fatal(err)
			}
			for s := range info.State.Subjects {
				out = append(out, s)
			}
		}
	}
	return out
}

// contents returns the messages stored on subjects.
func (w *streamWatcher) contents(subjects []string) string {
	w.t.Helper()
	var b strings.Builder
	for _, s := range subjects {
		stream := "glasstty-recordings"
		switch {
		case strings.HasPrefix(s, "$KV."):
			stream = "KV_glasstty-nodes"
		case strings.Contains(s, ".audit."):
			continue // the audit stream keeps all messages of a subject; glasstty fleet audit reads them
		}
		m, err := w.js.GetLastMsg(stream, s)
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", s, err)
			continue
		}
		fmt.Fprintf(&b, "%s %d %q\n", s, m.Sequence, m.Data)
	}
	return b.String()
}

// A liar is a node that names other members' subjects as its reply subjects.
type liar struct {
	t       *testing.T
	admin   *streamWatcher
	conn    *nats.Conn
	refused chan error
}

// misdirect makes NATS send acknowledgements to the target subjects, and waits until it has done
// so.
func (l *liar) misdirect(targets []string) {
	l.t.Helper()
	for _, target := range targets {
		for _, own := range []string{"glasstty.from.two.rec.x.s1-1.meta.0", "glasstty.from.two.rec.s1-1.meta.0", "glasstty.from.two.audit.1.0", "$KV.glasstty-nodes.two", "$KV.glasstty-nodes.two.x"} {
			for _, expected := range []string{"", "99"} { // NATS accepts "" and refuses "99"
				msg := nats.NewMsg(own)
				msg.Reply, msg.Data = target, []byte(`{"name":"two"}`)
				if expected != "" {
					msg.Header.Set(nats.ExpectedLastSubjSeqHdr, expected)
				}
				if err := l.conn.PublishMsg(msg); err != nil {
					l.t.Fatal(err)
				}
			}
		}
	}
	js, err := l.conn.JetStream(nats.MaxWait(patience))
	if err != nil {
		l.t.Fatal(err)
	}
	for _, own := range []string{"glasstty.from.two.rec.x.s1-1.meta.0", "glasstty.from.two.audit.1.0", "$KV.glasstty-nodes.two.x"} {
		if _, err := js.Publish(own, nil); err != nil { // a stream acknowledges in order
			l.t.Fatal(err)
		}
	}
	for _, stream := range []string{"KV_glasstty-nodes", "glasstty-recordings", "glasstty-audit"} { // processed after the earlier requests
		if err := l.admin.js.PurgeStream(stream); err == nil {
			l.t.Errorf("the stream %s can be purged", stream)
		}
	}
	for range 2 { // when these are stored, so is everything before them
		for _, s := range []string{"glasstty.from.two.rec.x.s1-1.end.0", "glasstty.from.two.audit.2.0"} {
			if _, err := l.admin.js.Publish(s, nil); err != nil {
				l.t.Fatal(err)
			}
		}
	}
}

// readsNothing checks that the liar can neither read what NATS stores nor subscribe to messages
// for others.
func (l *liar) readsNothing() {
	l.t.Helper()
	isRefused := func(what string) {
		l.t.Helper()
		select {
		case err := <-l.refused:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				l.t.Errorf("%s: got error %v, want a permission violation", what, err)
			}
		case <-time.After(patience):
			l.t.Errorf("%s is allowed", what)
		}
	}
	for _, stream := range []string{"KV_glasstty-nodes", "glasstty-recordings", "glasstty-audit"} {
		for _, verb := range []string{"STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET", "CONSUMER.CREATE", "CONSUMER.NAMES", "CONSUMER.LIST", "STREAM.SNAPSHOT"} {
			if err := l.conn.PublishRequest("$JS.API."+verb+"."+stream, "_INBOX.two.x", []byte(`{"subjects_filter":">"}`)); err != nil {
				l.t.Fatal(err)
			}
			isRefused(verb)
		}
	}
	for _, subject := range []string{"$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$JS.API.INFO", "$SYS.REQ.USER.INFO", "glasstty.from.one.state",
		"glasstty.from.one.rec.x.s1-1.meta.0", "$KV.glasstty-nodes.one.x", "glasstty.from.gate.audit.1.0"} {
		if err := l.conn.PublishRequest(subject, "_INBOX.two.x", nil); err != nil {
			l.t.Fatal(err)
		}
		isRefused(subject)
	}
	for _, subject := range []string{">", "$JS.EVENT.>", "$KV.>", "$JS.API.>", "$JS.ACK.>", "_INBOX.>", "_INBOX.one.>", "glasstty.from.>", "glasstty.from.one.rec.>", "glasstty.to.*._.>", "$SYS.>"} {
		if _, err := l.conn.SubscribeSync(subject); err != nil {
			l.t.Fatal(err)
		}
		isRefused(subject)
	}
	traced := nats.NewMsg("glasstty.from.two.rec.x.s1-1.meta.0") // NATS sends a trace of such a message
	traced.Header.Set("Nats-Trace-Dest", "glasstty.from.one.rec.x.s9-1.meta.0")
	if err := l.conn.PublishMsg(traced); err != nil {
		l.t.Fatal(err)
	}
	if err := l.conn.FlushTimeout(patience); err != nil {
		l.t.Fatal(err)
	}
	for _, s := range l.admin.subjects("one") {
		if strings.Contains(s, "s9-1") {
			l.t.Errorf("NATS sent a trace to %s", s)
		}
	}
}
