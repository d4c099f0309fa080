package roundtrip

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// build builds the server and returns its path.
func build(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "glasstty")
	cmd := exec.Command("go", "build", "-o", path, "github.com/glasstty/glasstty/cmd/glasstty")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("build the server: %v\n%s", err, out)
	}
	return path
}

// connect starts a server and a client for it; both end with the benchmark.
func connect(b *testing.B, path string, args ...string) (*mcp.ClientSession, *exec.Cmd) {
	b.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+b.TempDir())
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-bench", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := session.Close(); err != nil {
			b.Error(err)
		}
	})
	return session, cmd
}

// call calls a tool that must succeed and returns its structured result.
func call(b *testing.B, s *mcp.ClientSession, tool string, args map[string]any) map[string]any {
	b.Helper()
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		b.Fatal(err)
	}
	if res.IsError {
		b.Fatalf("%s: %v", tool, res.Content[0].(*mcp.TextContent).Text)
	}
	return res.StructuredContent.(map[string]any)
}

// report reports the median and the 99th percentile of the times.
func report(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	ms := func(q float64) float64 {
		i := min(int(q*float64(len(times))), len(times)-1)
		return float64(times[i]) / float64(time.Millisecond)
	}
	b.ReportMetric(0, "ns/op") // the quantiles are more informative than the mean
	b.ReportMetric(ms(0.50), "p50-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
}

// BenchmarkRoundTrip measures the time from a line typed with send_and_read until
// the client has the answer, which must be correct and complete.
func BenchmarkRoundTrip(b *testing.B) {
	path := build(b)
	for _, p := range []struct {
		program, line string
	}{
		{"bash", "echo $((6 * %d))"},
		{"python3", "6 * %d"},
	} {
		b.Run(p.program, func(b *testing.B) {
			need.Program(b, p.program)
			s, _ := connect(b, path)
			id := call(b, s, "start_process", map[string]any{"command": p.program, "timeout": 30})["session_id"]
			call(b, s, "wait_for", map[string]any{"session_id": id, "until": "ready", "timeout": 30})
			times := make([]time.Duration, 0, b.N)
			for n := 0; b.Loop(); n++ {
				start := time.Now()
				r := call(b, s, "send_and_read", map[string]any{"session_id": id,
					"text": fmt.Sprintf(p.line, n), "press_enter": true, "timeout": 30})
				times = append(times, time.Since(start))
				if r["output"] != strconv.Itoa(6*n) || r["is_complete"] != true {
					b.Fatalf("line %d: %v", n, r)
				}
			}
			report(b, times)
		})
	}
}

// floodBytes is the number of bytes that a program prints for BenchmarkFlood.
const floodBytes = 20_000_000

// BenchmarkFlood measures the time until the client has the first page of the
// answer of a program that prints as fast as possible.
func BenchmarkFlood(b *testing.B) {
	s, _ := connect(b, build(b))
	id := call(b, s, "start_process", map[string]any{"command": "bash", "timeout": 30})["session_id"]
	line := fmt.Sprintf("seq -w 99999999 | head -c %d", floodBytes)
	b.SetBytes(floodBytes)
	for b.Loop() {
		r := call(b, s, "send_and_read", map[string]any{"session_id": id, "text": line, "press_enter": true, "timeout": 300})
		if r["reason"] != "prompt" || r["is_complete"] != true || r["has_more"] != true {
			delete(r, "output")
			b.Fatal(r)
		}
	}
}

// BenchmarkStart measures the time from starting the server to its answer to the
// first tools/list.
func BenchmarkStart(b *testing.B) {
	path := build(b)
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-bench", Version: "1"}, nil)
		s, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: exec.Command(path, "--data-dir", b.TempDir())}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.ListTools(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	report(b, times)
}

// BenchmarkIdleSession starts one idle session per iteration, and reports the
// growth of the server's resident memory per session. The memory of the children is
// not included.
func BenchmarkIdleSession(b *testing.B) {
	need.Program(b, "cat")
	s, cmd := connect(b, build(b), "--max-sessions", strconv.Itoa(b.N))
	call(b, s, "list_sessions", nil)
	before := resident(b, cmd.Process.Pid)
	for range b.N {
		call(b, s, "start_process", map[string]any{"command": "cat", "until": "none"})
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(resident(b, cmd.Process.Pid)-before)/float64(b.N), "bytes/session")
}

// resident returns the resident memory of a process in bytes.
func resident(b *testing.B, pid int) int64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("the resident memory can be read on Linux only")
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return kb << 10
}
