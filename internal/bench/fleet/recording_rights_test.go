package fleet

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// TestRecordingRights checks that in a fleet with the rights from fleet init, a node can ship its
// own recordings and can neither ship nor read those of another node.
func TestRecordingRights(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := command("fleet", "init", dir, "--host", "127.0.0.1", "--node", "one,two", "--gateway", "gate").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	o.Port, o.StoreDir = server.RANDOM_PORT, t.TempDir()
	at := strings.Replace(startNATS(t, *o).ClientURL(), "nats://", "tls://", 1)
	creds := func(file string) []string { return []string{recording, "--fleet-creds", filepath.Join(dir, file)} }
	gate := startNode(t, at, "gate", append(creds("gate.gateway"), "--gateway")...)
	one := startNode(t, at, "one", creds("one.node")...)
	gate.await("the node", func() bool {
		_, _, err := gate.invoke(t.Context(), "list_sessions", args{"host": "one"})
		return err == nil && strings.Contains(one.said(), "listening on")
	})
	id := gate.start("one")
	gate.call("send_and_read", args{"session_id": id, "text": "echo $((6*7))", "press_enter": true})
	export := func() string {
		cmd := command("export", "--fleet", at, "--fleet-creds", filepath.Join(dir, "gate.gateway"), "--node", "gate", "--format", "text", id)
		out, err := cmd.CombinedOutput()
		return fmt.Sprint(string(out), err)
	}
	if text, _ := one.call("list_sessions", nil); strings.Contains(text, "away") {
		t.Errorf("a node that may not read recordings lists %s", text)
	}
	one.fails("list_sessions", args{"host": "two"}, "use a gateway's credentials")
	one.await("the recording", func() bool { return strings.Contains(export(), "\n42\n") })
	one.call("terminate_process", args{"session_id": "s1", "delete": true})
	one.await("the end of the recording", func() bool { return strings.Contains(export(), "no log") })

	seed, err := nats.NkeyOptionFromSeed(filepath.Join(dir, "two.node"))
	if err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 16)
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	evil, err := nats.Connect(u.String(), seed, nats.RootCAs(filepath.Join(dir, "cert.pem")), nats.CustomInboxPrefix("_INBOX.two"),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer evil.Close()
	for _, subject := range []string{
		"glasstty.from.one.rec.x.s1-1.meta.0",
		"$JS.API.STREAM.MSG.GET.glasstty-recordings",
		"$JS.API.DIRECT.GET.glasstty-recordings",
		"$JS.API.CONSUMER.CREATE.glasstty-recordings",
		"$JS.API.STREAM.CREATE.glasstty-recordings",
		"$JS.API.STREAM.UPDATE.glasstty-recordings",
		"$JS.API.STREAM.PURGE.glasstty-recordings",
		"$JS.API.STREAM.DELETE.glasstty-recordings",
	} {
		if err := evil.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if err := <-refused; err == nil || !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
			t.Errorf("%s: got error %v, want a permissions violation", subject, err)
		}
	}
	js, err := evil.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	all := nats.NewMsg("glasstty.from.two.rec.x.s1-1.meta.0")
	all.Header.Set("Nats-Rollup", "all") // a rollup would remove the recordings of others
	if _, err := js.PublishMsg(all); err == nil {
		t.Error("a node can remove all recordings")
	}
}
