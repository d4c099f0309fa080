package fleet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// The size of BenchmarkScale's fleet, and the number of concurrent callers.
const (
	scaleNodes    = 20
	scaleSessions = 1000
	scaleCallers  = 20
)

// BenchmarkScale compares a thousand sessions on twenty nodes, called through a gateway, with a
// thousand sessions on one server, called directly, in alternation. It reports the calls per
// second, and the memory of the servers and keepers: their private memory and their share of
// shared memory.
func BenchmarkScale(b *testing.B) {
	url := startNATS(b, server.Options{}).ClientURL()
	gate := startNode(b, url, "gate", "--gateway")
	fleet, names := []string{gate.home}, []string{}
	for i := range scaleNodes {
		names = append(names, fmt.Sprintf("node%d", i+1))
		fleet = append(fleet, startNode(b, url, names[i]).home)
	}
	gate.knows(names...)
	home := b.TempDir()
	one := newProcess(b, home, serveCommand(home, "--max-sessions", strconv.Itoa(scaleSessions)))
	b.Cleanup(func() { one.end(syscall.SIGTERM) })
	one.connect()

	there, here := make([]string, scaleSessions), make([]string, scaleSessions)
	atOnce(scaleSessions, func(i int) {
		_, data := gate.call("start_process", args{"command": "cat", "host": names[i%scaleNodes]})
		there[i] = data["session_id"].(string)
		_, data = one.call("start_process", args{"command": "cat"})
		here[i] = data["session_id"].(string)
	})
	var through, local time.Duration
	calls := 0
	for b.Loop() {
		through += took(func() {
			atOnce(scaleSessions, func(i int) { gate.call("snapshot", args{"session_id": there[i]}) })
		})
		local += took(func() { atOnce(scaleSessions, func(i int) { one.call("snapshot", args{"session_id": here[i]}) }) })
		calls += scaleSessions
	}
	b.ReportMetric(float64(calls)/through.Seconds(), "fleet-calls/s")
	b.ReportMetric(float64(calls)/local.Seconds(), "one-calls/s")
	b.ReportMetric(memoryOf(b, fleet...), "fleet-MB")
	b.ReportMetric(memoryOf(b, home), "one-MB")
}

// atOnce calls do n times, from scaleCallers goroutines.
func atOnce(n int, do func(i int)) {
	todo := make(chan int)
	var group sync.WaitGroup
	for range scaleCallers {
		group.Go(func() {
			for i := range todo {
				do(i)
			}
		})
	}
	for i := range n {
		todo <- i
	}
	close(todo)
	group.Wait()
}

// memoryOf returns the memory of the servers and keepers in the given home directories, in
// megabytes.
func memoryOf(b *testing.B, homes ...string) (sum float64) {
	b.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		b.Skip("this benchmark needs /proc")
	}
	share := regexp.MustCompile(`(?m)^Pss: +([0-9]+) kB`)
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(line, []byte(binary)) {
			continue // it has exited or is not one of ours
		}
		for _, home := range homes {
			if !bytes.Contains(line, []byte(home+"/")) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "smaps_rollup"))
			m := share.FindSubmatch(text)
			if err != nil || m == nil {
				b.Fatalf("reading the memory of %s: %v", line, err)
			}
			kb, err := strconv.Atoi(string(m[1]))
			if err != nil {
				b.Fatal(err)
			}
			sum += float64(kb) / 1024
		}
	}
	return sum
}
