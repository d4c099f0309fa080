package page

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// flood is a program that prints coloured lines as fast as possible.
const flood = `
import sys
n = 0
while True:
    lines = []
    for _ in range(500):
        n += 1
        lines.append("\x1b[3%dm%10d\x1b[m \x1b[1mcc\x1b[m -O2 -c src/module%d.c -o build/module%d.o \x1b[32mok\x1b[m %x" % (n % 7 + 1, n, n % 97, n % 97, n * 2654435761 & 0xffffffff))
    sys.stdout.write("\r\n".join(lines) + "\r\n")
`

// work returns the processor time and the busy time of the page's main thread, in seconds.
func work(tab context.Context) (used, busy float64, err error) {
	err = chromedp.Run(tab, chromedp.ActionFunc(func(ctx context.Context) error {
		all, err := performance.GetMetrics().Do(ctx)
		for _, m := range all {
			switch m.Name {
			case "ThreadTime":
				used = m.Value
			case "TaskDuration":
				busy = m.Value
			}
		}
		return err
	}))
	return used, busy, err
}

// BenchmarkFlood measures the processor time of the page's main thread and the changes that
// it draws for a program that prints as fast as possible.
func BenchmarkFlood(b *testing.B) {
	w := newWhole(b)
	tab, count := w.visit(w.start("python3", "-c", flood))
	do(b, tab, performance.Enable())
	var got []float64
	var used, busy float64
	for b.Loop() {
		used0, busy0, err := work(tab)
		if err != nil {
			b.Fatal(err)
		}
		begun := time.Now()
		do(b, tab, chromedp.Evaluate(smooth, &got, awaited))
		took := time.Since(begun).Seconds()
		used1, busy1, err := work(tab)
		if err != nil {
			b.Fatal(err)
		}
		used, busy = 100*(used1-used0)/took, 100*(busy1-busy0)/took
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(used, "%thread")
	b.ReportMetric(busy, "%busy")
	b.ReportMetric(got[0], "changes/s")
	b.ReportMetric(got[1], "frames/s")
	b.ReportMetric(got[2], "ms/frame-p99")
	count.report(b, "flood")
}
