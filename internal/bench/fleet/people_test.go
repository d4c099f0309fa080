package fleet

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A person uses the live page of a node through a gateway's socket.
type person struct {
	t      *testing.T
	client *live.Client
	number int64
	facts  map[string]*live.Facts
	screen map[string][]string
	failed map[int64]string // error of each action by its number; "" if it succeeded
}

// overSocket returns an HTTP client that connects to a server's socket.
func overSocket(p *process) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", p.socket)
	}}}
}

// person opens the page of a node, or the server's own if node is "".
func (p *process) person(t *testing.T, node, name string) *person {
	t.Helper()
	c, err := live.Dial(t.Context(), overSocket(p), "/live/", node, strings.ToLower(name), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &person{t: t, client: c, facts: map[string]*live.Facts{}, screen: map[string][]string{}, failed: map[int64]string{}}
}

// next receives the next message.
func (p *person) next() error {
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	m, err := p.client.Next(ctx)
	if err != nil {
		return err
	}
	switch m.Type {
	case "session":
		p.facts[m.Facts.ID] = m.Facts
	case "done", "failed":
		p.failed[m.N] = m.Error
	case "frame":
		if m.Frame.Full {
			p.screen[m.Frame.ID] = make([]string, m.Frame.Rows)
		}
		for _, l := range m.Frame.Lines {
			text := ""
			for _, s := range l.Spans {
				text += s.Text
			}
			p.screen[m.Frame.ID][l.Row] = text
		}
	}
	return nil
}

// until receives messages until ok returns true.
func (p *person) until(what string, ok func() bool) {
	p.t.Helper()
	for !ok() {
		if err := p.next(); err != nil {
			p.t.Fatalf("waiting for %s: %v", what, err)
		}
	}
}

// ask requests an action and returns its number.
func (p *person) ask(a live.Action) int64 {
	p.t.Helper()
	p.number++
	a.N = p.number
	if err := p.client.Send(p.t.Context(), a); err != nil {
		p.t.Fatal(err)
	}
	return p.number
}

// done requests an action and returns its error, or "" if it succeeded.
func (p *person) done(a live.Action) string {
	p.t.Helper()
	n := p.ask(a)
	p.until(a.Do, func() bool { _, ok := p.failed[n]; return ok })
	return p.failed[n]
}

// must requests an action that must succeed.
func (p *person) must(a live.Action) {
	p.t.Helper()
	if why := p.done(a); why != "" {
		p.t.Fatalf("%s: %s", a.Do, why)
	}
}

// sees waits until a line of the screen is text.
func (p *person) sees(id, text string) {
	p.t.Helper()
	p.until("the line "+text, func() bool {
		for _, line := range p.screen[id] {
			if strings.TrimSpace(line) == text {
				return true
			}
		}
		return false
	})
}

// TestAttach checks glasstty attach to a session of another node.
func TestAttach(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	log := filepath.Join(t.TempDir(), "audit")
	gate := startNode(t, url, "gate", "--gateway")
	startNode(t, url, "node", "--audit-log", log)
	desk := startNode(t, url, "desk") // the terminal runs here
	gate.knows("node", "desk")
	id, terminal := gate.start("node"), desk.start("")
	types := func(text, shows string) {
		t.Helper()
		desk.call("send_input", args{"session_id": terminal, "text": text, "press_enter": true})
		if _, data := desk.call("wait_for", args{"session_id": terminal, "pattern": shows, "timeout": 60}); data["reason"] != "matched" {
			text, _ := desk.call("snapshot", args{"session_id": terminal})
			t.Fatalf("the terminal does not show %s:\n%s", shows, text)
		}
	}
	types(fmt.Sprintf("%s attach --socket %s --note done-with-it %s", binary, gate.socket, id), id+" .* you type")
	types("echo $((6*7))", "(?m)^42")
	gate.fails("send_input", args{"session_id": id, "text": "x"}, "has taken over this session")
	desk.call("send_keys", args{"session_id": terminal, "keys": []string{"ctrl+]"}})
	if text, _ := gate.call("wait_for", args{"session_id": id, "until": "released", "timeout": 60}); !strings.Contains(text, "done-with-it") {
		t.Errorf("the agent's answer is %q", text)
	}
	if _, data := gate.call("send_and_read", args{"session_id": id, "text": "echo $((7*7))", "press_enter": true}); data["output"] != "49" {
		t.Errorf("afterwards, the agent reads %v", data)
	}
	types("clear; "+binary+" attach --socket "+gate.socket+" nowhere/s1", "no such host in the fleet")
	types("clear; "+binary+" attach --socket "+gate.socket+" node/s99", `no session .node/s99.; there are node/s1`)
	types("clear; "+binary+" attach --socket "+gate.socket+" elsewhere", `no session .elsewhere.; there are .*node/s1`)
	if out, err := command("ls", "--socket", gate.socket).Output(); err != nil || !strings.Contains(string(out), id) || !strings.Contains(string(out), "desk/"+terminal) {
		t.Errorf("glasstty ls prints %s, %v", out, err)
	}
	said, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"event":"person"`, `"tool":"take"`, `"via":"fleet"`, `"from":"gateway gate, attach"`} {
		if !strings.Contains(string(said), want) {
			t.Errorf("the node's audit log does not contain %s:\n%s", want, said)
		}
	}
}

// TestWatch checks that glasstty watch shows the sessions of all nodes, can attach to a session
// of another node, and continues when that node goes down and comes back.
func TestWatch(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	gate := startNode(t, url, "gate", "--gateway")
	home := t.TempDir()
	node := startIn(t, home, url, "node")
	desk := startNode(t, url, "desk") // the terminal runs here
	gate.knows("node", "desk")
	id, terminal := gate.start("node"), desk.start("")
	gate.call("send_and_read", args{"session_id": id, "text": "PS1='there> '; clear", "press_enter": true})
	shows := func(pattern string) {
		t.Helper()
		if _, data := desk.call("wait_for", args{"session_id": terminal, "pattern": pattern, "timeout": 60}); data["reason"] != "matched" {
			text, _ := desk.call("snapshot", args{"session_id": terminal})
			t.Fatalf("the terminal does not show %s:\n%s", pattern, text)
		}
	}
	presses := func(key string) {
		t.Helper()
		desk.call("send_keys", args{"session_id": terminal, "keys": []string{key}})
	}
	desk.call("send_input", args{"session_id": terminal, "text": binary + " watch --socket " + gate.socket, "press_enter": true})
	shows(`(?s)2 sessions.*desk/s1 .*node/s1 `)
	presses("down")
	shows("(?m)^there>")
	presses("enter")
	shows(id + " .* you type")
	desk.call("send_input", args{"session_id": terminal, "text": "echo $((6*7))", "press_enter": true})
	shows("(?m)^42")
	presses("ctrl+]")
	shows("2 sessions")
	node.end(syscall.SIGKILL)
	shows("node/s1 .*unreachable")
	startIn(t, home, url, "node")
	shows("node/s1 .*agent")
	presses("q")
}

// TestAttachLost checks glasstty attach when the node is stopped while a person types, and when
// the gateway is killed: it says which of them does not answer, what may not have been typed, and
// what to do.
func TestAttachLost(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	gate := startNode(t, url, "gate", "--gateway")
	node := startNode(t, url, "node")
	desk := startNode(t, url, "desk")
	gate.knows("node", "desk")
	id, terminal := gate.start("node"), desk.start("")
	types := func(text string, enter bool, shows ...string) {
		t.Helper()
		desk.call("send_input", args{"session_id": terminal, "text": text, "press_enter": enter})
		for _, s := range shows {
			if _, data := desk.call("wait_for", args{"session_id": terminal, "pattern": s, "timeout": 60}); data["reason"] != "matched" {
				text, _ := desk.call("snapshot", args{"session_id": terminal})
				t.Fatalf("the terminal does not show %s:\n%s", s, text)
			}
		}
	}
	signal := func(p *process, s os.Signal) {
		t.Helper()
		if err := p.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if s == syscall.SIGSTOP { // the threads keep running until one of them handles the signal
			p.await("the server to stop", func() bool {
				state, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(p.cmd.Process.Pid)).Output()
				return err == nil && strings.HasPrefix(string(state), "T")
			})
		}
	}
	attach := fmt.Sprintf("clear; %s attach --socket %s %s", binary, gate.socket, id)
	again := `(?s)attach again.*` + regexp.QuoteMeta("attach --socket "+gate.socket+" "+id) + ".*--force"
	types(attach, true, id+" .* you type")
	types("echo $((6*7))", true, "(?m)^42")
	signal(node, syscall.SIGSTOP)
	types("echo lost", true, "connection to node node broke: nothing was received", "Perhaps not typed: 10 keys", again)
	signal(node, syscall.SIGCONT)
	gate.knows("node")

	types(attach, true, id+" .* you type")
	types("clear; read -rs -p 'Password: ' p", true, "a password: no agent")
	signal(node, syscall.SIGSTOP)
	types("verysecret", true, "Perhaps not typed: 11 keys", again)
	if text, _ := desk.call("snapshot", args{"session_id": terminal}); strings.Contains(text, "verysecret") {
		t.Errorf("the terminal shows the secret:\n%s", text)
	}
	signal(node, syscall.SIGCONT)
	gate.knows("node")

	types(attach, true, id+" .* you type")
	types("", true) // ends the password
	types("echo $((7*7))", true, "(?m)^49")
	signal(gate, syscall.SIGSTOP)
	types("echo later", true)
	signal(gate, syscall.SIGKILL)
	// Enter, which follows the text, may not have reached attach yet.
	types("", false, "the server is gone", "Perhaps not typed: 1[01] keys", again)
}

// TestStepIn checks that a person can pause an agent on another node, answer its password prompt,
// refuse a held command, and end a program.
func TestStepIn(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	gate := startNode(t, url, "gate", "--gateway")
	node := startNode(t, url, "node")
	gate.knows("node")
	id := gate.start("node")
	anna := gate.person(t, "node", "Anna")
	anna.must(live.Action{Do: "watch", Large: id})

	anna.must(live.Action{Do: "pause", ID: id})
	gate.fails("send_input", args{"session_id": id, "text": "x"}, "Anna")
	anna.must(live.Action{Do: "give", ID: id})

	if text, _ := gate.call("send_and_read", args{"session_id": id, "text": "read -rs -p 'Password: ' p; echo; echo ${#p}", "press_enter": true}); !strings.Contains(text, "glasstty attach "+id+" (on node itself with --socket "+node.socket+")") {
		t.Errorf("the hint for answering the password is %q", text)
	}
	anna.until("the question", func() bool { return anna.facts[id] != nil && anna.facts[id].Secret })
	anna.must(live.Action{Do: "secret", ID: id, Text: "verysecret"})
	anna.sees(id, "10")
	if text, _ := gate.call("read_output", args{"session_id": id}); strings.Contains(text, "verysecret") {
		t.Errorf("the agent reads %q", text)
	}

	gate.fails("send_and_read", args{"session_id": id, "text": "rm -rf /", "press_enter": true}, "confirm")
	anna.until("the held command", func() bool { return len(anna.facts[id].Held) > 0 })
	anna.must(live.Action{Do: "refuse", ID: id, Text: anna.facts[id].Held[0].Text})
	anna.until("the end of the question", func() bool { return len(anna.facts[id].Held) == 0 })

	if why := anna.done(live.Action{Do: "end", ID: "node/s99"}); !strings.Contains(why, "s99") {
		t.Errorf("ending an unknown session: %q", why)
	}
	// The command in the hint also works on the node itself, where the node is reached by its own
	// name.
	ben := node.person(t, "node", "Ben")
	ben.until("the session", func() bool { return ben.facts[id] != nil })
	anna.must(live.Action{Do: "end", ID: id})
	if text, _ := gate.call("get_session_info", args{"session_id": id}); !strings.Contains(text, "Anna") {
		t.Errorf("the agent's answer is %q", text)
	}
}

// TestFrozen checks typing from the live page while a node's server is stopped and continued, and
// while it is killed and restarted.
func TestFrozen(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	gate := startNode(t, url, "gate", "--gateway")
	home := t.TempDir()
	node := startIn(t, home, url, "node")
	gate.knows("node")
	id := gate.start("node")
	anna := gate.person(t, "node", "Anna")
	anna.must(live.Action{Do: "watch", Large: id})
	anna.must(live.Action{Do: "take", ID: id})
	anna.must(live.Action{Do: "type", ID: id, Keys: []live.Key{{Text: "echo $((6*7))"}, {Name: "enter"}}})
	anna.sees(id, "42")

	signal := func(s os.Signal) {
		t.Helper()
		if err := node.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	// Input that is sent while the node is stopped is typed once, when the node continues.
	signal(syscall.SIGSTOP)
	n := anna.ask(live.Action{Do: "type", ID: id, Keys: []live.Key{{Text: "echo late-$((7*7))"}, {Name: "enter"}}})
	signal(syscall.SIGCONT)
	anna.until("the answer", func() bool { _, ok := anna.failed[n]; return ok })
	anna.sees(id, "late-49")

	// A node that is stopped for long is given up. It can be reached again when it continues.
	signal(syscall.SIGSTOP)
	anna.lost()
	if _, err := live.Dial(t.Context(), overSocket(gate), "/live/", "node", "anna", "Anna"); err == nil {
		t.Error("a stopped node can be reached")
	}
	signal(syscall.SIGCONT)
	gate.knows("node")
	anna = gate.person(t, "node", "Anna") // the same person, who still holds the keyboard
	anna.must(live.Action{Do: "watch", Large: id})
	anna.must(live.Action{Do: "type", ID: id, Keys: []live.Key{{Text: "echo on-$((7*7))"}, {Name: "enter"}}})
	anna.sees(id, "on-49")

	signal(syscall.SIGKILL)
	anna.lost()
	startIn(t, home, url, "node")
	gate.knows("node")
	anna = gate.person(t, "node", "Anna")
	anna.must(live.Action{Do: "watch", Large: id})
	anna.sees(id, "on-49")
	once := 0
	for _, line := range anna.screen[id] {
		if strings.TrimSpace(line) == "late-49" {
			once++
		}
	}
	if once != 1 {
		t.Errorf("the input sent while the node was stopped was typed %d times, want once", once)
	}
}

// lost waits until the connection is lost, and checks that the error says which one.
func (p *person) lost() {
	p.t.Helper()
	for {
		if err := p.next(); err != nil {
			if !strings.Contains(err.Error(), "the connection to node node broke") {
				p.t.Fatalf("the connection ended with %v, which does not say why", err)
			}
			return
		}
	}
}

// TestWatchOnly checks that a person with a read token can watch but not type through a gateway's
// page, and that a token limited to hosts allows only these.
func TestWatchOnly(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	tokens := filepath.Join(t.TempDir(), "tokens")
	const reads = "reads-and-does-nothing-else"
	made, err := command("token", "--file", tokens, "--hosts", "build*").CombinedOutput()
	limited := strings.TrimSpace(string(made))
	if err != nil {
		t.Fatal(err, limited)
	}
	f, err := os.OpenFile(tokens, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(reads + " scope=read name=reader\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	gate := startNode(t, url, "gate", "--gateway", "--http", "--port", "0", "--token-file", tokens)
	startNode(t, url, "build7")
	startNode(t, url, "desk")
	gate.knows("build7", "desk")
	id := gate.start("build7")
	page := regexp.MustCompile(`http://[^/]+/`).FindString(gate.said())
	get := func(token, path string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page+"live/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := (&http.Client{Transport: bearer(token)}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	if code, body := get(limited, "nodes"); code != http.StatusOK || !strings.Contains(body, `"build7"`) || strings.Contains(body, "desk") {
		t.Errorf("nodes: status %d, body %s", code, body)
	}
	if code, body := get(limited, "sessions?node=build7"); code != http.StatusOK || !strings.Contains(body, `"id":"s1"`) {
		t.Errorf("sessions: status %d, body %s", code, body)
	}
	if code, body := get(limited, "sessions?node=desk"); code != http.StatusForbidden || !strings.Contains(body, "limited to the hosts") {
		t.Errorf("sessions of a host that is not allowed: status %d, body %s", code, body)
	}
	if code, body := get(limited, "sessions?node=nowhere"); code != http.StatusForbidden || !strings.Contains(body, "limited to the hosts") {
		t.Errorf("sessions of an unknown host: status %d, body %s", code, body)
	}
	c, err := live.Dial(t.Context(), &http.Client{Transport: towards{page, reads}}, "/live/", "build7", "eve", "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	eve := &person{t: t, client: c, facts: map[string]*live.Facts{}, screen: map[string][]string{}, failed: map[int64]string{}}
	eve.must(live.Action{Do: "watch", Large: id})
	eve.until("the screen", func() bool { return eve.screen[id] != nil })
	for _, do := range []string{"take", "type", "pause", "end"} {
		if why := eve.done(live.Action{Do: do, ID: id}); !strings.Contains(why, "only for watching") {
			t.Errorf("%s: got error %q", do, why)
		}
	}
}

// towards adds a token like bearer, and sends requests without a host to page.
type towards struct{ page, token string }

// RoundTrip implements http.RoundTripper.
func (to towards) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = strings.TrimSuffix(strings.TrimPrefix(to.page, "http://"), "/")
	r.URL.Scheme = "http"
	r.Host = r.URL.Host
	return bearer(to.token).RoundTrip(r)
}
