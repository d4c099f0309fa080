package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// TestWaitHosts checks that one call can wait for sessions of three servers.
func TestWaitHosts(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	log := filepath.Join(t.TempDir(), "audit")
	here := startNode(t, nats.ClientURL(), "here")
	startNode(t, nats.ClientURL(), "one", "--audit-log", log)
	two := startNode(t, nats.ClientURL(), "two")
	here.knows("one", "two")
	own, a, b := here.start(""), here.start("one"), here.start("two")
	all := []string{own, a, b}
	gate := filepath.Join(t.TempDir(), "gate")
	await := "until [ -e " + gate + " ]; do sleep .05; done; echo go-$((1+1))"
	here.call("send_input", args{"session_id": a, "text": "echo unread-$((2+1))", "press_enter": true})
	here.call("send_input", args{"session_id": b, "text": await, "press_enter": true})

	waited := make(chan map[string]any, 1)
	go func() {
		text, data, err := here.invoke(t.Context(), toolWait, args{"session_ids": all, "pattern": "go-2", "timeout": 45})
		if err != nil || !strings.Contains(text, "go-2\n["+b+" running · matched") || !strings.Contains(text, "on 3 hosts]") {
			t.Errorf("the wait answers %q, %v", text, err)
		}
		waited <- data
	}()
	said := func() string {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	here.await("the wait on one", func() bool { return strings.Contains(said(), `"tool":"wait_for"`) })
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if data := <-waited; data["session_id"] != b || data["reason"] != "matched" || data["unreachable"] != nil {
		t.Errorf("the wait answers %v", data)
	}
	here.await("the end of the wait on one", func() bool { return strings.Contains(said(), `"why":"context canceled"`) })
	if _, data := here.call("read_output", args{"session_id": a}); !strings.Contains(data["output"].(string), "unread-3") {
		t.Errorf("the wait consumed the output of %s: %v", a, data)
	}

	if text, data := here.call(toolWait, args{"session_ids": all, "pattern": "never", "timeout": 0.2}); data["session_id"] != own || data["reason"] != "timeout" {
		t.Errorf("a wait that times out: %s", text)
	}
	stop := filepath.Join(t.TempDir(), "stop")
	here.call("send_input", args{"session_id": b, "text": "until [ -e " + stop + " ]; do sleep .05; echo tick; done", "press_enter": true})
	if text, data := here.call(toolWait, args{"session_ids": []string{own, b}, "until": "change", "timeout": 45}); data["session_id"] != b || data["reason"] != "changed" {
		t.Errorf("until change: %s", text)
	}
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text, data := here.call(toolWait, args{"session_ids": all, "all": true, "timeout": 45})
	if each := data["sessions"].([]any); len(each) != 3 || data["is_complete"] != true || !strings.Contains(text, "["+a+" running") {
		t.Errorf("all: %s", text)
	}
	here.fails(toolWait, args{"session_ids": []string{a, "two/s99"}, "pattern": "never", "timeout": 45}, `no session "two/s99"`)
	here.fails(toolWait, args{"session_ids": []string{a, "four/s1"}, "pattern": "never", "timeout": 45}, "no such host", "four")
	here.fails(toolWait, args{"session_ids": []string{a, b}, "since": 1}, "since")
	here.fails("terminate_process", args{"session_ids": []string{a, b}}, "only wait_for")

	two.end(syscall.SIGKILL)
	text, data = here.call(toolWait, args{"session_ids": []string{b, a}, "pattern": "never", "timeout": 0.5})
	if away, _ := data["unreachable"].([]any); data["session_id"] != a || len(away) != 1 || away[0] != "two" || !strings.Contains(text, "host two") {
		t.Errorf("with node two down: %s", text)
	}
	text, data = here.call(toolWait, args{"session_ids": all, "all": true, "timeout": 45})
	if each := data["sessions"].([]any); len(each) != 2 || data["is_complete"] != false || !strings.Contains(text, "host two is unreachable") {
		t.Errorf("all, with node two down: %s", text)
	}
	here.fails(toolWait, args{"session_ids": []string{b, "three/s1"}}, "three")
	startIn(t, two.home, nats.ClientURL(), "two") // to end its programs
}

// TestWaitRestart checks that waits end in time, without reporting the node as unreachable, if a
// node is restarted during a wait for sessions of two nodes and during one for its own session.
func TestWaitRestart(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	one := startNode(t, nats.ClientURL(), "one")
	startNode(t, nats.ClientURL(), "two")
	gate.knows("one", "two")
	a, b := gate.start("one"), gate.start("two")
	const timeout = 12
	var waits sync.WaitGroup
	wait := func(a args) {
		a["pattern"], a["timeout"] = "never", timeout
		waits.Go(func() {
			began := time.Now()
			text, data, err := gate.invoke(t.Context(), toolWait, a)
			took := time.Since(began).Seconds()
			if err != nil || data["unreachable"] != nil || strings.Contains(text, "unreachable") || took > timeout+2 {
				t.Errorf("%v answers after %.1f s: %q, %v", a, took, text, err)
			}
			if each, ok := data["sessions"].([]any); ok && len(each) != 2 {
				t.Errorf("%v shows %v", a, each)
			}
		})
	}
	wait(args{"session_ids": []string{a, b}})
	wait(args{"session_ids": []string{a, b}, "all": true})
	wait(args{"session_id": a})
	time.Sleep(time.Second) // give the node time to start waiting
	one.end(syscall.SIGKILL)
	startIn(t, one.home, nats.ClientURL(), "one")
	waits.Wait()
}

const toolWait = "wait_for"
