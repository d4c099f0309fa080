package abuse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/confine"
	"github.com/glasstty/glasstty/session/mask"
)

// A layer is one of a server's guards.
type layer struct {
	name string
	on   func(b *testing.B, o *session.Options)
}

// layers returns all layers.
func layers() []layer {
	return []layer{
		{"danger", func(_ *testing.B, o *session.Options) { o.Danger = new(danger.Checker) }},
		{"lists", func(b *testing.B, o *session.Options) {
			list, err := allowlist.New([]string{"bash"}, []string{"dd"}, []string{"/"})
			if err != nil {
				b.Fatal(err)
			}
			o.Programs = list
		}},
		{"redaction", func(_ *testing.B, o *session.Options) { o.Mask = mask.New() }},
		{"limits", func(_ *testing.B, o *session.Options) {
			o.Limits = session.Limits{Idle: time.Hour, Lifetime: 24 * time.Hour, Tree: child.Limits{Processes: 1000, Memory: 8 << 30, CPU: time.Hour}}
		}},
		{"sandbox", func(b *testing.B, o *session.Options) {
			p, err := sandbox.Policy{}.Check()
			if err != nil {
				b.Fatal(err)
			}
			o.Confine = confine.Rules{Policy: p, Sandboxed: true, Scrub: true}
		}},
		{"audit", func(b *testing.B, o *session.Options) {
			log, err := audit.Open(audit.Options{Path: filepath.Join(b.TempDir(), "audit.log"), Inputs: true, Required: true})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := log.Close(); err != nil {
					b.Error(err)
				}
			})
			o.Audit = log
		}},
	}
}

// off enables no layer.
func off(*testing.B, *session.Options) {}

// all enables every layer.
func all(b *testing.B, o *session.Options) {
	for _, l := range layers() {
		l.on(b, o)
	}
}

// BenchmarkGuard measures what each layer adds to a send_and_read call to bash, and
// what all layers add together. Servers without layers, with one layer and with all
// layers take turns in random order, so that other load on the machine and cache
// contents affect them equally. Each metric is the difference between the lower
// quartile of a server's call times and that of the server without layers. A second
// server without layers is measured in the same way: again-µs shows the error of the
// measurement. all-cpu-µs is the additional processor time of all layers in this
// process, which depends less on other load.
func BenchmarkGuard(b *testing.B) {
	contenders := append([]layer{{"off", off}, {"again", off}, {"all", all}}, layers()...)
	calls := make([]func() time.Duration, len(contenders))
	for i, c := range contenders {
		o := session.Options{Limits: session.Limits{InputRate: -1}}
		c.on(b, &o)
		calls[i] = newCaller(b, o)
	}
	took, worked := make([][]time.Duration, len(contenders)), make([][]time.Duration, len(contenders))
	order := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		for _, i := range order.Perm(len(calls)) {
			before := processorTime(b)
			took[i] = append(took[i], calls[i]())
			worked[i] = append(worked[i], processorTime(b)-before)
		}
	}
	whole, busy := quartile(took[0]), quartile(worked[0])
	b.ReportMetric(float64(whole.Microseconds()), "off-µs")
	for i, c := range contenders {
		if i > 0 {
			b.ReportMetric(float64((quartile(took[i]) - whole).Microseconds()), c.name+"-µs")
		}
		if c.name == "all" {
			b.ReportMetric(float64((quartile(worked[i]) - busy).Microseconds()), "all-cpu-µs")
			b.ReportMetric(100*float64(quartile(took[i])-whole)/float64(whole), "all-%")
		}
	}
}

// BenchmarkLayer measures calls with no layer, each single layer, and all layers, for
// profiling.
func BenchmarkLayer(b *testing.B) {
	for _, l := range append([]layer{{"off", off}, {"all", all}}, layers()...) {
		b.Run(l.name, func(b *testing.B) {
			o := session.Options{Limits: session.Limits{InputRate: -1}}
			l.on(b, &o)
			call := newCaller(b, o)
			before := processorTime(b)
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs")
		})
	}
}

// newCaller starts a server, a client and bash. It returns a function that calls
// send_and_read and returns the duration of the call.
func newCaller(b *testing.B, o session.Options) func() time.Duration {
	b.Helper()
	mgr := session.NewManager(o)
	b.Cleanup(func() {
		if err := mgr.Close(); err != nil {
			b.Error(err)
		}
	})
	srv, err := mcpserver.New(mgr, mcpserver.Options{Audit: o.Audit})
	if err != nil {
		b.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	ctx := context.WithoutCancel(b.Context())
	if _, err := srv.MCP().Connect(ctx, here, nil); err != nil {
		b.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "cost", Version: "1"}, nil).Connect(ctx, there, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close() })
	call := func(tool string, args map[string]any) time.Duration {
		start := time.Now()
		res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		took := time.Since(start)
		if err != nil || res.IsError {
			b.Fatal(err, text(res))
		}
		if got := fmt.Sprint(res.StructuredContent.(map[string]any)["reason"]); got != "prompt" {
			b.Fatalf("%s ended with %s: %s", tool, got, text(res))
		}
		return took
	}
	call("start_process", map[string]any{"command": need.Program(b, "bash"), "args": []string{"--norc"}, "cwd": b.TempDir(), "name": "x", "timeout": 20})
	line := map[string]any{"session_id": "x", "text": "for f in a b; do echo \"$f: $(dirname /tmp/x)\"; done | sort -r", "press_enter": true, "timeout": 20}
	return func() time.Duration { return call("send_and_read", line) }
}

// processorTime returns the processor time that this process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// quartile returns the lower quartile of the durations. Other load on the machine only
// makes calls longer, so a low quantile is closest to the true cost.
func quartile(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/4]
}
