package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/glasstty/glasstty/internal/fleet"
)

// join creates a member.
func join(t *testing.T, o fleet.Options) *fleet.Member {
	t.Helper()
	o.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	m, err := fleet.Join(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// TestCall checks the results of calls between members.
func TestCall(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	var made atomic.Int32
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	join(t, fleet.Options{URL: url, Name: "node", Handle: func(ctx context.Context, body []byte, _ int, progress func([]byte)) []byte {
		switch string(body) {
		case "count":
			return fmt.Append(nil, made.Add(1))
		case "large":
			return bytes.Repeat([]byte("0123456789"), 1<<19)
		case "huge":
			return make([]byte, 65<<20)
		case "wait":
			begun <- struct{}{}
			<-ctx.Done()
			ended <- struct{}{}
		case "tell":
			progress([]byte("half"))
		}
		return nil
	}})
	gate := join(t, fleet.Options{URL: url, Name: "gate"})
	other := join(t, fleet.Options{URL: url, Name: "other"})
	call := func(m *fleet.Member, id, body string) (string, error) {
		got, err := m.Call(t.Context(), "node", id, []byte(body), nil)
		return string(got), err
	}

	for _, m := range []*fleet.Member{gate, gate, other} {
		if got, err := call(m, "same", "count"); got != "1" || err != nil {
			t.Errorf("a repeated call answers %q, %v", got, err)
		}
	}
	if got, err := call(gate, "another", "count"); got != "2" || err != nil {
		t.Errorf("another call answers %q, %v", got, err)
	}
	if got, err := call(gate, "large", "large"); len(got) != 10<<19 || !strings.HasSuffix(got, "0123456789") || err != nil {
		t.Errorf("a large answer has %d bytes, %v", len(got), err)
	}
	if _, err := call(gate, "huge", "huge"); err == nil || !strings.Contains(err.Error(), "more than 67108864 bytes") {
		t.Errorf("a huge answer: %v", err)
	}
	if _, err := call(gate, "long", strings.Repeat("x", 1<<20)); !errors.Is(err, fleet.ErrTooLarge) {
		t.Errorf("a long call: got error %v", err)
	}
	if _, err := gate.Call(t.Context(), "none", "none", nil, nil); !errors.Is(err, fleet.ErrNoHost) || !strings.Contains(err.Error(), "there are node") {
		t.Errorf("a call to an unknown node: %v", err)
	}
	var told string
	if _, err := gate.Call(t.Context(), "node", "tell", []byte("tell"), func(b []byte) { told = string(b) }); told != "half" || err != nil {
		t.Errorf("got progress %q, %v", told, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if _, err := gate.Call(ctx, "node", "wait", []byte("wait"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
	<-ended
}

// TestFalseAnswers checks that a gateway rejects invalid answers of a node.
func TestFalseAnswers(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	gate := join(t, fleet.Options{URL: url, Name: "gate"})
	evil, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer evil.Close()
	var said atomic.Int32
	say := func(subject, kind, part, text string) {
		msg := &nats.Msg{Subject: subject, Data: []byte(text), Header: nats.Header{"Glasstty-Kind": {kind}, "Glasstty-Part": {part}}}
		if evil.PublishMsg(msg) == nil { // fails if the test is over before the last part
			said.Add(1)
		}
	}
	const evilState = `{"name":"evil","instance":"i1","protocol":1}`
	for _, tt := range []struct {
		name   string
		state  string
		answer func(reply string)
		want   string
	}{
		{"older", `{"name":"evil","instance":"i1","version":"0.1"}`, nil, "has version 0 of the fleet's protocol and this server has version 1; upgrade the node"},
		{"newer", `{"name":"evil","instance":"i1","protocol":2}`, nil, "upgrade this server"},
		{"for another", evilState, func(reply string) {
			say(strings.Replace(reply, ".evil.", ".good.", 1), "part", "1/1", "forged")
			say(reply, "part", "1/1", "true")
		}, "true"},
		{"parts that do not agree", evilState, func(reply string) {
			say(reply, "part", "1/2", "a")
			say(reply, "part", "2/3", "b")
		}, "invalid answer"},
		{"no part", evilState, func(reply string) { say(reply, "part", "0/0", "a") }, "invalid answer"},
		{"more parts than there may be", evilState, func(reply string) { say(reply, "part", "1/1000000000", "a") }, "invalid answer"},
		{"too much", evilState, func(reply string) {
			for i := range 70 {
				say(reply, "part", fmt.Sprintf("%d/100", i+1), strings.Repeat("x", 1<<20-2048))
			}
		}, "too large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state, err := evil.Subscribe("glasstty.to.evil._.who.*", func(m *nats.Msg) {
				_ = evil.Publish(m.Reply, []byte(tt.state)) // if this fails, so does the call
			})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := evil.Subscribe("glasstty.to.evil.i1.call.*", func(m *nats.Msg) { tt.answer(m.Reply) })
			if err != nil {
				t.Fatal(err)
			}
			if err := evil.Flush(); err != nil {
				t.Fatal(err)
			}
			before := said.Load()
			got, err := gate.Call(t.Context(), "evil", tt.name, nil, nil)
			if tt.answer != nil && said.Load() == before {
				t.Error("the node did not answer")
			}
			if answer := fmt.Sprint(string(got), err); !strings.Contains(answer, tt.want) || strings.Contains(answer, "forged") {
				t.Errorf("the call answers %q, %v; want %q", got[:min(len(got), 100)], err, tt.want)
			}
			for _, sub := range []*nats.Subscription{state, answer} {
				if err := sub.Unsubscribe(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestManyAnswer checks that a gateway finds all nodes when more nodes answer at once than fit
// into the mailbox for one node's answers.
func TestManyAnswer(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	gate := join(t, fleet.Options{URL: url, Name: "gate"})
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const many = 3000
	failed := make(chan error, 1)
	_, err = conn.Subscribe("glasstty.who.gate", func(msg *nats.Msg) {
		for i := range many {
			name := fmt.Sprintf("n%d", i)
			state := fmt.Sprintf(`{"name":%q,"instance":"i1","protocol":1}`, name)
			if err := conn.Publish(strings.Replace(msg.Reply, "from._.", "from."+name+".", 1), []byte(state)); err != nil {
				failed <- err
				return
			}
		}
	})
	if err = errors.Join(err, conn.Flush()); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(patience); ; { // the number of nodes is not known at first
		found, err := gate.Ask(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == many {
			return
		}
		if time.Now().After(limit) || len(failed) > 0 {
			t.Fatalf("found %d nodes", len(found))
		}
	}
}

// user creates an nkey, writes its seed to a file, and returns the file and a NATS user with
// permissions p.
func user(t *testing.T, p *server.Permissions) (file string, u *server.NkeyUser) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "seed")
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, &server.NkeyUser{Nkey: public, Permissions: p}
}

// rights returns the NATS permissions of a node, a gateway or both.
func rights(name string, node, gateway bool) *server.Permissions {
	pub, sub := fleet.Rights(name, node, gateway)
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: pub}, Subscribe: &server.SubjectPermission{Allow: sub}}
}

// TestRights checks that a node is limited to its own name and that a gateway can call it.
func TestRights(t *testing.T) {
	t.Parallel()
	nodeFile, node := user(t, rights("node", true, false))
	gateFile, gate := user(t, rights("gate", false, true))
	strange, _ := user(t, nil)
	url := startNATS(t, server.Options{Nkeys: []*server.NkeyUser{node, gate}}).ClientURL()
	echo := func(_ context.Context, body []byte, _ int, _ func([]byte)) []byte { return body }
	n := join(t, fleet.Options{URL: url, Creds: nodeFile, Name: "node", Handle: echo})
	g := join(t, fleet.Options{URL: url, Creds: gateFile, Name: "gate"})
	if got, err := g.Call(t.Context(), "node", "id", []byte("hello"), nil); string(got) != "hello" || err != nil {
		t.Errorf("the gateway's call answers %q, %v", got, err)
	}
	if _, err := n.Call(t.Context(), "node", "id", []byte("hello"), nil); err == nil {
		t.Error("a call by a node succeeds; only gateways may call")
	}
	// A node that uses another name receives no calls.
	join(t, fleet.Options{URL: url, Creds: nodeFile, Name: "other", Handle: echo})
	if _, err := g.Call(t.Context(), "other", "id", nil, nil); !errors.Is(err, fleet.ErrNoHost) {
		t.Errorf("a call to a node with a wrong name: %v", err)
	}
	for file, want := range map[string]string{strange: "does not accept " + strange, "": "does not accept a client without credentials", "/nowhere": "--fleet-creds"} {
		if _, err := fleet.Join(t.Context(), fleet.Options{URL: url, Creds: file, Name: "x"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("credentials %q: %v; want %q", file, err, want)
		}
	}
}

// TestRecordRights checks that a node can write only its own record, and that a gateway can read
// all records and mark a node as lost.
func TestRecordRights(t *testing.T) {
	t.Parallel()
	nodeFile, node := user(t, rights("node", true, false))
	gateFile, gate := user(t, rights("gate", false, true))
	o := withRecords(t)
	o.Nkeys = []*server.NkeyUser{node, gate}
	url := startNATS(t, o).ClientURL()
	echo := func(_ context.Context, body []byte, _ int, _ func([]byte)) []byte { return body }
	g := join(t, fleet.Options{URL: url, Creds: gateFile, Name: "gate", Server: true})
	if err := g.AwaitRecords(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := join(t, fleet.Options{URL: url, Creds: nodeFile, Name: "node", Server: true, Handle: echo})
	option, err := nats.NkeyOptionFromSeed(nodeFile)
	if err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 1)
	evil, err := nats.Connect(url, option, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer evil.Close()
	if err := evil.Publish("$KV.glasstty-nodes.other.x", []byte(`{"name":"other","instance":"i1"}`)); err != nil {
		t.Fatal(err)
	}
	if err := <-refused; !errors.Is(err, nats.ErrPermissionViolation) {
		t.Errorf("writing the record of another node: got error %v, want a permission violation", err)
	}

	recorded := func() bool {
		late := join(t, fleet.Options{URL: url, Creds: gateFile, Name: "gate"})
		defer late.Close()
		if err := late.AwaitRecords(t.Context()); err != nil {
			t.Fatal(err)
		}
		all, err := late.Nodes("")
		return err == nil && len(all) == 1 && all[0].Name == "node"
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for limit := time.Now().Add(patience); !ok(); <-time.After(100 * time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatal("timed out waiting for: " + what)
			}
		}
	}
	until("the node's record", recorded)
	if err := g.Forget(t.Context(), "node"); err == nil || !strings.Contains(err.Error(), "node answers") {
		t.Errorf("Forget of a reachable node: %v", err)
	}
	n.Close()
	if err := evil.Publish("$KV.glasstty-nodes.node.x", []byte(`{"name":"node","instance":"i1"}`)); err != nil {
		t.Fatal(err)
	}
	until("the record of a node that is away", func() bool {
		_, err := g.Call(t.Context(), "node", "id", nil, nil)
		return errors.Is(err, fleet.ErrUnreachable)
	})
	if err := g.Forget(t.Context(), "node"); err != nil {
		t.Error(err)
	}
	until("that the node is lost", func() bool {
		_, err := g.Call(t.Context(), "node", "id", nil, nil)
		return errors.Is(err, fleet.ErrLost)
	})
}

// TestLimited checks that a node itself refuses a call that is limited to other hosts, even if
// its gateway sends it.
func TestLimited(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	join(t, fleet.Options{URL: url, Name: "node", Labels: map[string]string{"gpu": "a100"},
		Handle: func(context.Context, []byte, int, func([]byte)) []byte { return []byte("made") }})
	gate, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	answers, err := gate.SubscribeSync("glasstty.from.node.re.gate.>")
	if err != nil {
		t.Fatal(err)
	}
	send := func(msg *nats.Msg) *nats.Msg {
		t.Helper()
		msg.Reply = "glasstty.from.node.re.gate.i1.1"
		err := gate.PublishMsg(msg)
		if err != nil {
			t.Fatal(err)
		}
		for {
			got, err := answers.NextMsg(patience)
			if err != nil {
				t.Fatal(err)
			}
			if got.Header.Get("Glasstty-Kind") != "beat" {
				return got
			}
		}
	}
	var s fleet.State
	if err := json.Unmarshal(send(nats.NewMsg("glasstty.to.node._.who.gate")).Data, &s); err != nil {
		t.Fatal(err)
	}
	for hosts, want := range map[string]string{"": "made", "n*": "made", "gpu=a*": "made", "gpu=h100": "limited to", "build*": `limited to the hosts "build*", which do not include "node"`, "[": "limited to"} {
		msg := nats.NewMsg("glasstty.to.node." + s.Instance + ".call.gate")
		msg.Header.Set("Glasstty-Call", "call "+hosts)
		msg.Header.Set("Glasstty-Hosts", hosts)
		if got := send(msg); !strings.Contains(string(got.Data), want) {
			t.Errorf("a call limited to %q answers %q", hosts, got.Data)
		}
	}
}

// TestMessages checks that a call that is answered at once takes two messages: the call and the
// answer.
func TestMessages(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	join(t, fleet.Options{URL: url, Name: "node", Handle: func(context.Context, []byte, int, func([]byte)) []byte { return []byte("made") }})
	gate := join(t, fleet.Options{URL: url, Name: "gate"})
	if _, err := gate.State(t.Context(), "node"); err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	all, err := conn.SubscribeSync("glasstty.>")
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	fewest, before := 0, 0
	for i := range 5 { // on a busy machine, a slow call adds a progress message
		if got, err := gate.Call(t.Context(), "node", fmt.Sprint(i), nil, nil); err != nil || string(got) != "made" {
			t.Fatalf("the call answers %q, %v", got, err)
		}
		if err := conn.Flush(); err != nil {
			t.Fatal(err)
		}
		now, _, err := all.Pending()
		if err != nil {
			t.Fatal(err)
		}
		if n := now - before; i == 0 || n < fewest {
			fewest = n
		}
		before = now
	}
	if fewest != 2 {
		t.Errorf("a call takes %d messages, want 2", fewest)
	}
}

// TestCancelled checks that a call that was cancelled is made again when it is repeated, and not
// answered from the cache.
func TestCancelled(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	begun := make(chan struct{}, 1)
	var made atomic.Int32
	join(t, fleet.Options{URL: url, Name: "node", Handle: func(ctx context.Context, _ []byte, _ int, _ func([]byte)) []byte {
		if made.Add(1) > 1 {
			return []byte("made")
		}
		begun <- struct{}{}
		<-ctx.Done()
		return nil
	}})
	gate := join(t, fleet.Options{URL: url, Name: "gate"})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if _, err := gate.Call(ctx, "node", "id", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
	if got, err := gate.Call(t.Context(), "node", "id", nil, nil); string(got) != "made" || err != nil {
		t.Errorf("a repeated call after cancellation answers %q, %v", got, err)
	}
}

// TestStopping checks that a call continues when its gateway stops, and that the next gateway
// gets the answer.
func TestStopping(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	begun, end := make(chan struct{}, 1), make(chan struct{})
	var made atomic.Int32
	join(t, fleet.Options{URL: url, Name: "node", Handle: func(ctx context.Context, _ []byte, _ int, _ func([]byte)) []byte {
		made.Add(1)
		begun <- struct{}{}
		select {
		case <-end:
		case <-ctx.Done():
		}
		return fmt.Append(nil, ctx.Err())
	}})
	stopping := errors.New("stopping")
	gate := join(t, fleet.Options{URL: url, Name: "gate", Stopping: stopping})
	ctx, stop := context.WithCancelCause(t.Context())
	go func() { <-begun; stop(stopping) }()
	if _, err := gate.Call(ctx, "node", "id", nil, nil); !errors.Is(err, stopping) {
		t.Errorf("the call of a stopping gateway: got error %v", err)
	}
	gate.Close()
	next := join(t, fleet.Options{URL: url, Name: "gate"})
	time.AfterFunc(time.Second, func() { close(end) })
	if got, err := next.Call(t.Context(), "node", "id", nil, nil); string(got) != "<nil>" || err != nil || made.Load() != 1 {
		t.Errorf("the next gateway gets %q, %v; the call was made %d times", got, err, made.Load())
	}
}

// TestSent checks which failed calls say that they may have been made.
func TestSent(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	url := nats.ClientURL()
	begun := make(chan struct{}, 1)
	node := join(t, fleet.Options{URL: url, Name: "node", Handle: func(ctx context.Context, _ []byte, _ int, _ func([]byte)) []byte {
		begun <- struct{}{}
		<-ctx.Done()
		return nil
	}})
	gate := join(t, fleet.Options{URL: url, Name: "gate"})
	sent := func(err error) bool { return errors.As(err, new(interface{ Sent() bool })) }
	go func() { <-begun; gate.Close() }()
	if _, err := gate.Call(t.Context(), "node", "left", nil, nil); !errors.Is(err, fleet.ErrLeft) || !sent(err) {
		t.Errorf("a call that was sent before its gateway left: got error %v, sent %v", err, sent(err))
	}
	gate = join(t, fleet.Options{URL: url, Name: "gate"})
	if _, err := gate.State(t.Context(), "node"); err != nil {
		t.Fatal(err)
	}
	node.Detach()
	if _, err := gate.Call(t.Context(), "node", "away", nil, nil); !errors.Is(err, fleet.ErrUnreachable) || sent(err) {
		t.Errorf("a call to an unreachable node: got error %v, sent %v", err, sent(err))
	}
	nats.Shutdown()
	nats.WaitForShutdown()
	if _, err := gate.Call(t.Context(), "node", "alone", nil, nil); !errors.Is(err, fleet.ErrUnreachable) || sent(err) {
		t.Errorf("a call without a connection: got error %v, sent %v", err, sent(err))
	}
}

// TestOtherNodes checks a fleet with a node of another version, which selectors skip, and with
// nodes that send unreadable states, of which only the first is logged.
func TestOtherNodes(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	log := new(process)
	gate, err := fleet.Join(t.Context(), fleet.Options{URL: url, Name: "gate", Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	other, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	const state = `{"name":"newer","instance":"i1","version":"9.9","protocol":7,"capacity":1000000}`
	if _, err := other.Subscribe("glasstty.who.*", func(m *nats.Msg) {
		_ = other.Publish(strings.Replace(m.Reply, "from._.", "from.newer.", 1), []byte(state)) // if this fails, so does the test
	}); err != nil {
		t.Fatal(err)
	}
	if err := other.Flush(); err != nil {
		t.Fatal(err)
	}
	if name, err := gate.Pick(t.Context(), "*"); !errors.Is(err, fleet.ErrVersion) || !strings.Contains(err.Error(), "9.9") {
		t.Errorf("Pick with only a node of another version = %q, %v", name, err)
	}
	join(t, fleet.Options{URL: url, Name: "node", Handle: func(context.Context, []byte, int, func([]byte)) []byte { return nil },
		State: func() fleet.State { return fleet.State{Sessions: 9, Capacity: 10} }})
	if name, err := gate.Pick(t.Context(), "*"); name != "node" || err != nil {
		t.Errorf("Pick = %q, %v, want node", name, err)
	}
	list := &process{cmd: fleetServer(t.TempDir(), url, "list")}
	if out, err := fleetCommand(list); err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), "newer other version 0/1000000") {
		t.Errorf("glasstty fleet prints %s, %v", out, err)
	}

	for range 2000 {
		if err := other.Publish("glasstty.from.bad.state", []byte("{")); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Publish("glasstty.from.last.state", []byte(`{"name":"last","instance":"i1"}`)); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(patience); gate.Known("last").Instance == ""; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the gateway did not receive the last state")
		}
	}
	if text := log.said(); strings.Count(text, "node=bad ") != 1 || strings.Count(text, "unreadable state") != 1 {
		t.Errorf("the log has %d lines about %d unreadable states, and %d about the node bad", strings.Count(text, "unreadable state"), 2000, strings.Count(text, "node=bad "))
	}
}

// TestAlone checks the errors of a gateway without a connection to NATS.
func TestAlone(t *testing.T) {
	t.Parallel()
	url := fmt.Sprintf("nats://127.0.0.1:%d", freePorts(t, 1)[0])
	gate := startNode(t, url, "gate", "--gateway", "--fleet-recordings")
	for tool, a := range map[string]args{
		"list_sessions": {}, "start_process": {"command": "true", "host": "os=linux"}, "snapshot": {"session_id": "node/s1"},
	} {
		gate.fails(tool, a, "no connection to the fleet's NATS server")
	}
	gate.await("the log", func() bool { return strings.Contains(gate.said(), "cannot reach the NATS server") })
	if strings.Contains(gate.said(), "keeps no recordings") {
		t.Errorf("the log says that the unreachable NATS server keeps no recordings: %s", gate.said())
	}
}
