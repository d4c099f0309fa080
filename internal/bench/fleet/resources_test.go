package fleet

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A follower is a client that subscribes to resources.
type follower struct {
	*mcp.ClientSession
	conn    net.Conn
	updated chan string
}

// follow connects a client with the protocol version in which subscriptions are requests.
func (p *process) follow() *follower {
	p.t.Helper()
	conn, err := net.Dial("unix", p.socket)
	if err != nil {
		p.t.Fatal(err)
	}
	f := &follower{conn: conn, updated: make(chan string, 10000)}
	client := mcp.NewClient(&mcp.Implementation{Name: "follower", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { f.updated <- r.Params.URI },
	})
	f.ClientSession, err = client.Connect(p.t.Context(), &mcp.IOTransport{Reader: conn, Writer: conn, MaxLineLength: -1}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { conn.Close() })
	return f
}

// await waits for a notification about a resource.
func (f *follower) await(t *testing.T, uri string) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case got := <-f.updated:
			if got == uri {
				return
			}
		case <-limit:
			t.Fatalf("%s: no notification", uri)
		}
	}
}

// text reads a resource.
func (f *follower) text(t *testing.T, uri string) string {
	t.Helper()
	res, err := f.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil || len(res.Contents) != 1 || res.Contents[0].URI != uri {
		t.Fatalf("%s: %+v, %v", uri, res, err)
	}
	return res.Contents[0].Text
}

// TestResources checks that a gateway lists and reads the resources of sessions on other servers.
func TestResources(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	startNode(t, nats.ClientURL(), "one")
	two := startNode(t, nats.ClientURL(), "two")
	gate.knows("one", "two")
	gate.start("one")
	id := gate.start("two")
	gate.call("send_and_read", args{"session_id": id, "text": "echo seen-$((1+1))", "press_enter": true})
	f := gate.follow()

	var uris []string
	list := func() *mcp.ListResourcesResult {
		res, err := f.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		uris = nil
		for _, r := range res.Resources {
			uris = append(uris, r.URI)
		}
		return res
	}
	if list(); len(uris) != 6 || !slices.Contains(uris, "cli://two/s1/screen") || !slices.Contains(uris, "cli://one/s1/history") {
		t.Errorf("the resources are %v", uris)
	}
	templates, err := f.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 6 {
		t.Errorf("the resource templates are %+v, %v", templates, err)
	}
	for _, uri := range []string{"cli://two/s1/screen", "cli://two%2Fs1/screen", "cli://two/s1/history", "cli://two/s1/recording"} {
		if text := f.text(t, uri); !strings.Contains(text, "seen-2") {
			t.Errorf("%s is %q", uri, text)
		}
	}
	for uri, want := range map[string]string{
		"cli://two/s9/screen":   "not found",
		"cli://two/s1/sound":    "not found",
		"cli://three/s1/screen": "no such host",
	} {
		if _, err := f.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", uri, err, want)
		}
		if err := f.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err == nil {
			t.Errorf("subscribing to %s succeeds, want an error", uri)
		}
	}

	prompt, err := f.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "screen", Arguments: map[string]string{"session_id": id}})
	if err != nil || len(prompt.Messages) != 2 {
		t.Fatalf("the prompt: %+v, %v", prompt, err)
	}
	said, _ := prompt.Messages[0].Content.(*mcp.TextContent)
	shown, _ := prompt.Messages[1].Content.(*mcp.EmbeddedResource)
	if !strings.Contains(said.Text, "session two/s1 ") || shown.Resource.URI != "cli://two/s1/screen" || !strings.Contains(shown.Resource.Text, "seen-2") {
		t.Errorf("the prompt is %q, %+v", said.Text, shown.Resource)
	}

	two.end(syscall.SIGKILL)
	res := list()
	if away, _ := res.Meta["glasstty/unreachable"].([]any); len(uris) != 3 || len(away) != 1 || away[0] != "two" {
		t.Errorf("with node two down, the resources are %v, %v", uris, res.Meta)
	}
	startIn(t, two.home, nats.ClientURL(), "two") // to end its programs
}

// TestLongRecording checks long recordings: one longer than the MCP SDK's line limit is
// delivered; one longer than an answer in the fleet may be causes an error of that call only.
func TestLongRecording(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{MaxPayload: 6 << 10}) // limits an answer to 21 MB instead of 64
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	startNode(t, nats.ClientURL(), "node")
	gate.knows("node")
	f := gate.follow()
	read := func(command string) (string, error) {
		t.Helper()
		_, data := gate.call("start_process", args{"host": "node", "command": "sh", "args": []string{"-c", command}, "until": "exit", "timeout": 60, "max_lines": 1})
		id, _ := data["session_id"].(string)
		gate.call("wait_for", args{"session_id": id, "until": "exit", "timeout": 60, "max_lines": 1})
		res, err := f.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cli://" + id + "/recording"})
		if err != nil {
			return "", err
		}
		return res.Contents[0].Text, nil
	}
	// Each of these bytes is encoded as \\u0001 in the answer.
	much := func(n int) string { return fmt.Sprintf(`head -c %d /dev/zero | tr '\0' '\1'; echo the-end`, n) }
	if text, err := read(much(2_450_000)); err != nil || len(text) < 14<<20 || !strings.Contains(text, "the-end") {
		t.Errorf("the long recording has %d bytes: %v", len(text), err)
	}
	if text, err := read(much(3_100_000)); err == nil || !strings.Contains(err.Error(), "host node has 2") ||
		!strings.Contains(err.Error(), "glasstty export") {
		t.Errorf("a recording that is too long: got %d bytes, %v", len(text), err)
	}
	if id := gate.start("node"); id == "" {
		t.Error("the node no longer starts programs")
	}
}

// TestSubscription checks a subscription to a screen on another server: it survives a loss of the
// connection to NATS, is limited in rate, and ends with the session.
func TestSubscription(t *testing.T) {
	t.Parallel()
	ns := startNATS(t, server.Options{})
	port, url := portOf(ns), ns.ClientURL()
	gate := startNode(t, url, "gate", "--gateway")
	node := startNode(t, url, "node")
	gate.knows("node")
	id := gate.start("node")
	there := args{"session_id": "s1", "press_enter": true}
	typed := func(text string) {
		t.Helper()
		there["text"] = text
		node.call("send_and_read", there)
	}
	const uri = "cli://node/s1/screen"
	f := gate.follow()
	if err := f.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	typed("echo first")
	f.await(t, uri)
	if text := f.text(t, uri); !strings.Contains(text, "first") {
		t.Errorf("after the notification the screen is %q", text)
	}

	ns.Shutdown()
	ns.WaitForShutdown()
	typed("echo while-away")
	for len(f.updated) > 0 {
		<-f.updated
	}
	startNATS(t, server.Options{Port: port})
	gate.knows("node")
	f.await(t, uri)

	// A gateway is notified at most every 100 ms, however much a program prints.
	watch, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	var reports atomic.Int64
	var open sync.Map                                              // reply subjects of watching calls by call ID, and call IDs by reply subject
	if _, err := watch.Subscribe("glasstty.>", func(m *nats.Msg) { // all subjects in one subscription, to keep the order
		id := m.Header.Get("Glasstty-Call")
		switch {
		case strings.HasPrefix(m.Subject, "glasstty.from.node.re.gate."):
			reports.Add(1)
			if id, ok := open.Load(m.Subject); ok && m.Header.Get("Glasstty-Kind") == "part" {
				open.Delete(id)
				open.Delete(m.Subject)
			}
		case strings.Contains(m.Subject, ".cancel."):
			open.Delete(id)
		case strings.Contains(string(m.Data), "glasstty/changed"):
			open.Store(id, m.Reply)
			open.Store(m.Reply, id)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := watch.Flush(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	typed("for i in $(seq 1 40); do seq 1 200; sleep .05; done; echo all-$((1+1))")
	node.call("wait_for", args{"session_id": "s1", "pattern": "all-2", "timeout": 45})
	f.await(t, uri)
	if n, most := reports.Load(), int64(time.Since(began)/(100*time.Millisecond))*3/2+10; n > most {
		t.Errorf("received %d messages in %v", n, time.Since(began))
	}
	gate.call("terminate_process", args{"session_id": id, "delete": true})
	if _, err := f.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
		t.Error("the deleted session still has a screen resource")
	}

	id = gate.start("node")
	if err := f.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "cli://" + id + "/screen"}); err != nil {
		t.Fatal(err)
	}
	gate.call("send_and_read", args{"session_id": id, "text": "echo second", "press_enter": true})
	f.await(t, "cli://"+id+"/screen")
	watching := func() (n int) {
		open.Range(func(id, _ any) bool {
			if !strings.HasPrefix(id.(string), "glasstty.") {
				n++
			}
			return true
		})
		return n
	}
	gate.await("a watch", func() bool { return watching() == 1 })
	f.conn.Close()
	gate.await("the end of the watch", func() bool { return watching() == 0 })
}
