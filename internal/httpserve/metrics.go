package httpserve

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The outcomes of a tool call in /metrics.
const (
	outcomeOK        = "ok"
	outcomeError     = "error"     // the tool returned an error
	outcomeRefused   = "refused"   // not allowed, or too many calls
	outcomeCancelled = "cancelled" // by the client, or because it disconnected
	outcomeProtocol  = "protocol"  // no such tool, bad request
)

// otherTool is the label of all unknown tools. It keeps clients from creating series.
const otherTool = "other"

// The kinds of families.
const (
	gauge   = "gauge"
	counter = "counter"
)

// An exposition holds the families of /metrics. Its handler writes them in the text format 0.0.4 of
// Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). It replaces the
// Prometheus client library, which would add eight modules and 2 MB. It is safe for concurrent
// use once all families are added.
type exposition struct{ families []*family }

// A family contains the series of one metric. It is safe for concurrent use.
type family struct {
	name, kind, help string
	labels           []string
	read             func() map[string]float64 // returns the values now; nil for a family that is counted

	mu     sync.Mutex         // guards series
	series map[string]float64 // by label values, joined with NUL
}

// add adds a family that is counted.
func (x *exposition) add(name, kind, help string, labels ...string) *family {
	f := &family{name: name, kind: kind, help: help, labels: labels, series: map[string]float64{}}
	x.families = append(x.families, f)
	return f
}

// show adds a family without labels, whose value read returns.
func (x *exposition) show(name, kind, help string, read func() float64) {
	x.add(name, kind, help).read = func() map[string]float64 { return map[string]float64{"": read()} }
}

// count adds n to the series with these label values.
func (f *family) count(n float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.series[strings.Join(values, "\x00")] += n
}

// values returns the values of the series.
func (f *family) values() map[string]float64 {
	if f.read != nil {
		return f.read()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.series)
}

// ServeHTTP writes all families.
func (x *exposition) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	for _, f := range x.families {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		values := f.values()
		for _, key := range slices.Sorted(maps.Keys(values)) {
			b.WriteString(f.name)
			for i, value := range strings.Split(key, "\x00")[:len(f.labels)] {
				fmt.Fprintf(&b, "%c%s=%q", "{,"[min(i, 1)], f.labels[i], value)
			}
			if len(f.labels) > 0 {
				b.WriteByte('}')
			}
			fmt.Fprintf(&b, " %s\n", strconv.FormatFloat(values[key], 'g', -1, 64))
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the client may have disconnected
}

// A tally holds the families that this package counts.
type tally struct {
	exposition
	waiting                     *family
	bytesIn, bytesOut           *family
	refused, calls, callSeconds *family
}

// newTally returns a tally that is all zero.
func newTally() *tally {
	t := &tally{}
	t.waiting = t.add("glasstty_calls_waiting", gauge, "Tool calls under way.")
	t.bytesIn = t.add("glasstty_received_bytes_total", counter, "Bytes of request bodies.")
	t.bytesOut = t.add("glasstty_sent_bytes_total", counter, "Bytes of answers.")
	t.refused = t.add("glasstty_refused_total", counter, "Requests and connections refused, by reason.", "reason")
	t.calls = t.add("glasstty_calls_total", counter, "Tool calls, by tool and outcome.", "outcome", "tool")
	t.callSeconds = t.add("glasstty_call_seconds_total", counter, "Total duration of tool calls, waiting included.", "tool")
	for _, one := range []*family{t.waiting, t.bytesIn, t.bytesOut} {
		one.count(0)
	}
	for _, reason := range []string{refusedHost, refusedOrigin, refusedToken, refusedUser, refusedScope, refusedRate,
		refusedConns, refusedBody, refusedCalls, refusedClients, refusedStop} {
		t.refused.count(0, reason) // every series exists from the start
	}
	t.addProcess()
	return t
}

// addProcess adds families about this process, with the names that the Prometheus client library
// uses.
func (t *tally) addProcess() {
	started := float64(time.Now().UnixMilli()) / 1000
	t.show("process_start_time_seconds", gauge, "When the server started, since 1970.", func() float64 { return started })
	t.show("go_goroutines", gauge, "Goroutines.", func() float64 { return float64(runtime.NumGoroutine()) })
	t.show("go_memstats_alloc_bytes", gauge, "Bytes of live and not yet swept objects.", func() float64 {
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(heap)
		return float64(heap[0].Value.Uint64())
	})
	t.show("process_cpu_seconds_total", counter, "Processor time, user and system.", func() float64 {
		var use syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &use) // cannot fail for this process
		return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9
	})
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		return // not Linux
	}
	t.show("process_open_fds", gauge, "Open file descriptors.", func() float64 {
		open, _ := os.ReadDir("/proc/self/fd")
		return float64(len(open) - 1) // not counting the one that reads the directory
	})
	t.show("process_resident_memory_bytes", gauge, "Resident memory.", func() float64 {
		var size, resident int // in pages; see proc_pid_statm(5)
		data, _ := os.ReadFile("/proc/self/statm")
		_, _ = fmt.Sscan(string(data), &size, &resident)
		return float64(resident * os.Getpagesize())
	})
}

// Gauge adds a gauge named glasstty_NAME to /metrics, before Serve. values returns the values of
// the gauge by those of its label, and may be called at any time.
func (s *Server) Gauge(name, help, label string, values func() map[string]float64) {
	s.metrics.add("glasstty_"+name, gauge, help, label).read = values
}
