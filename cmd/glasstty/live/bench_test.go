package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// BenchmarkFrame draws a screen of which one row, or every row, has changed, and
// counts the bytes that a page is sent beside those of the whole screen as text
// and as a picture.
func BenchmarkFrame(b *testing.B) {
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}})
	for i := range 24 {
		write(b, term, fmt.Sprintf("\x1b[%d;1H\x1b[3%dmline %d\x1b[m %s", i+1, i%8, i, bytes.Repeat([]byte("text "), 12)))
	}
	before := term.Snapshot(0)
	write(b, term, "\x1b[5;10Hx")
	after := term.Snapshot(0)
	for _, bb := range []struct {
		name  string
		since uint64
	}{{"one row", before.Revision}, {"all rows", 0}} {
		b.Run(bb.name, func(b *testing.B) {
			var data []byte
			for b.Loop() {
				var err error
				if data, err = json.Marshal(newFrame("s1", after, bb.since, after.Size)); err != nil {
					b.Fatal(err)
				}
			}
			var text, png bytes.Buffer
			if err := picture.ANSI(&text, after, picture.Options{}); err != nil {
				b.Fatal(err)
			}
			if err := picture.PNG(&png, after, picture.Options{}); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(data)), "B/change")
			b.ReportMetric(float64(text.Len()), "B/screen-ansi")
			b.ReportMetric(float64(png.Len()), "B/screen-png")
		})
	}
}

// write gives bytes to a terminal.
func write(b *testing.B, term *emulator.Terminal, text string) {
	b.Helper()
	if _, err := term.Write([]byte(text)); err != nil {
		b.Fatal(err)
	}
}

// benchRig serves the page of one session that runs cat.
func benchRig(b *testing.B, command string, args ...string) (*session.Session, string) {
	b.Helper()
	mgr := session.NewManager(session.Options{})
	page := New(Options{Manager: mgr, Visitor: func(r *http.Request) (Visitor, error) {
		return Visitor{Person: session.Person{ID: "bench"}, Type: true}, nil
	}})
	srv := httptest.NewServer(page)
	b.Cleanup(func() {
		page.Close()
		srv.Close()
		if err := mgr.Close(); err != nil {
			b.Error(err)
		}
	})
	s, err := mgr.Start(b.Context(), session.StartOptions{Command: need.Program(b, command), Args: args, Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	return s, srv.URL
}

// dialBench connects a client that watches a session's screen.
func dialBench(b *testing.B, url, id, me string) *Client {
	b.Helper()
	ws, err := dialSocket(b.Context(), url+"/ws?me="+me, http.DefaultClient, nil)
	if err != nil {
		b.Fatal(err)
	}
	c := &Client{ws}
	b.Cleanup(func() { _ = ws.drop() })
	if err := c.Send(b.Context(), Action{Do: "watch", Large: id}); err != nil {
		b.Fatal(err)
	}
	return c
}

// BenchmarkKey times a key from the page's connection to the changed cell in a
// frame, and in the same run the same key by a tool's call until the screen has
// changed.
func BenchmarkKey(b *testing.B) {
	s, url := benchRig(b, "cat")
	c := dialBench(b, url, s.ID(), "a")
	next := func(after func(uint64) bool) uint64 {
		ctx, cancel := context.WithTimeout(b.Context(), patience)
		defer cancel()
		for {
			m, err := c.Next(ctx)
			if err != nil {
				b.Fatal(err)
			}
			if m.Type == "frame" && after(m.Frame.Revision) {
				return m.Frame.Revision
			}
		}
	}
	if err := c.Send(b.Context(), Action{Do: "take", ID: s.ID()}); err != nil {
		b.Fatal(err)
	}
	rev := next(func(uint64) bool { return true })
	keys := []Key{{Name: "x"}, {Name: "backspace"}}
	var page, tool time.Duration
	n := 0
	for b.Loop() {
		time.Sleep(frameEvery) // a person's keys do not come faster than frames
		start := time.Now()
		if err := c.Send(b.Context(), Action{Do: "type", ID: s.ID(), Keys: keys[n%2 : n%2+1]}); err != nil {
			b.Fatal(err)
		}
		rev = next(func(now uint64) bool { return now > rev })
		page += time.Since(start)
		n++
	}
	if err := s.GiveBack(session.Person{ID: "bench/a"}, "", true); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		key, _, err := emulator.ParseKey(keys[i%2].Name)
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		in := session.Input{Keys: []session.KeyPress{{Key: key, Repeat: 1}}}
		if _, err := s.Exchange(b.Context(), in, session.Wait{Until: session.UntilChange, Timeout: patience}, nil); err != nil {
			b.Fatal(err)
		}
		tool += time.Since(start)
	}
	b.ReportMetric(float64(page.Microseconds())/float64(n), "µs/page-key")
	b.ReportMetric(float64(tool.Microseconds())/float64(n), "µs/call-key")
	b.ReportMetric(float64(page)/float64(tool), "page/call")
}

// BenchmarkWatchers counts the processor time of a session that changes sixty
// times a second, with 0, 1 and 20 who watch.
func BenchmarkWatchers(b *testing.B) {
	for _, n := range []int{0, 1, 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, url := benchRig(b, "bash", "--norc", "-c", "while :; do printf '\\033[H%s' $RANDOM; sleep 0.0166; done")
			for i := range n {
				c := dialBench(b, url, s.ID(), fmt.Sprint(i))
				go func() {
					for {
						if _, err := c.Next(b.Context()); err != nil {
							return
						}
					}
				}()
			}
			for b.Loop() {
				before, start := cpu(b), time.Now()
				time.Sleep(2 * time.Second)
				b.ReportMetric(100*float64(cpu(b)-before)/float64(time.Since(start)), "%cpu")
			}
		})
	}
}

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
