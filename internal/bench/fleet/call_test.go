package fleet

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// BenchmarkCall compares a call to a session on another node with the same call made on that
// node, in alternation. It reports the median of each and the difference. The case "echo" is the
// lower bound: its processes only pass a line on.
func BenchmarkCall(b *testing.B) {
	url := startNATS(b, server.Options{}).ClientURL()
	b.Run("echo", func(b *testing.B) {
		compare(b, startEcho(b, url, echoAnswers), startEcho(b, url, echoAsks))
	})
	node := startNode(b, url, "node")
	gate := startNode(b, url, "gate", "--gateway")
	gate.knows("node")
	id := gate.start("node")
	there := args{"session_id": id[len("node/"):]}
	here := args{"session_id": id}
	for _, tt := range []struct {
		tool string
		more args
	}{{"snapshot", nil}, {"send_and_read", args{"text": "echo hello", "press_enter": true}}} {
		for key, value := range tt.more {
			there[key], here[key] = value, value
		}
		b.Run(tt.tool, func(b *testing.B) {
			compare(b, func() { node.call(tt.tool, there) }, func() { gate.call(tt.tool, here) })
		})
	}
}

// compare reports the cost of a local call and of a call through the fleet.
func compare(b *testing.B, local, fleet func()) {
	calls := [2]func(){local, fleet}
	var times [2][]time.Duration
	for b.Loop() {
		for i, call := range calls {
			times[i] = append(times[i], took(call))
		}
	}
	at := func(i, percent int) float64 {
		slices.Sort(times[i])
		return float64(times[i][len(times[i])*percent/100].Microseconds()) / 1000
	}
	for i, name := range []string{"local", "fleet"} {
		b.ReportMetric(at(i, 50), name+"-p50-ms")
		b.ReportMetric(at(i, 95), name+"-p95-ms")
	}
	b.ReportMetric(at(1, 50)-at(0, 50), "more-p50-ms")
}

// took returns the time that a function takes.
func took(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// echoServer is the name under which this test's binary runs echoMain; echoSubject is the subject
// on which one echo server sends requests to another.
const (
	echoServer  = "echo-server"
	echoSubject = "echo"
)

// The kinds of echo servers.
const (
	echoAnswers = "answers" // answers lines and requests
	echoAsks    = "asks"    // sends each line to another server as a request
)

// echoLine is about as long as a call.
var echoLine = []byte(strings.Repeat("x", 400) + "\n")

// startEcho starts an echo server and returns a function that sends it a line and reads the
// answer.
func startEcho(b *testing.B, url, kind string) func() {
	b.Helper()
	home := b.TempDir()
	p := newProcess(b, home, exec.Command(selfAs(b, echoServer), url, filepath.Join(home, "s"), kind))
	b.Cleanup(func() { p.end(syscall.SIGTERM) })
	var conn net.Conn
	p.await("the socket", func() (ok bool) {
		var err error
		conn, err = net.Dial("unix", p.socket)
		return err == nil
	})
	lines := bufio.NewReader(conn)
	return func() {
		_, err := conn.Write(echoLine)
		if err == nil {
			_, err = lines.ReadBytes('\n')
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// echoMain is the main function of an echo server.
func echoMain() error {
	url, socket, kind := os.Args[1], os.Args[2], os.Args[3]
	conn, err := nats.Connect(url)
	if err != nil {
		return err
	}
	if kind == echoAnswers {
		_, err = conn.Subscribe(echoSubject, func(msg *nats.Msg) { msg.Respond(msg.Data) })
		if err == nil {
			err = conn.Flush()
		}
		if err != nil {
			return err
		}
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	client, err := l.Accept()
	if err != nil {
		return err
	}
	for lines := bufio.NewReader(client); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		if kind == echoAsks {
			answer, err := conn.Request(echoSubject, line, patience)
			if err != nil {
				return err
			}
			line = answer.Data
		}
		if _, err := client.Write(line); err != nil {
			return err
		}
	}
}
