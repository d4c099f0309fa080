package emulator

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/hinshun/vt10x"
)

// streams are generated streams of about 1 MB, so that no large files are kept.
// The same streams are also written to bare vt10x for comparison. The
// throughput of a PTY can be measured with `cat FILE` under a PTY whose output
// is discarded.
var streams = map[string]func() []byte{
	"plain":  plainStream,
	"colour": colourStream,
	"redraw": redrawStream,
	"cjk":    cjkStream,
}

const streamSize = 1 << 20

// plainStream returns text with lines of ordinary length.
func plainStream() []byte {
	words := []string{"the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "lorem", "ipsum"}
	var b bytes.Buffer
	for i := 0; b.Len() < streamSize; i++ {
		for j := range 4 + i%11 {
			b.WriteString(words[(i*7+j*3)%len(words)])
			b.WriteByte(' ')
		}
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

// colourStream returns a log with colours, as many programs write it.
func colourStream() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < streamSize; i++ {
		fmt.Fprintf(&b, "\x1b[2m12:00:%02d\x1b[0m \x1b[1;3%dmINFO\x1b[0m  request \x1b[36mid\x1b[0m=%d \x1b[38;5;%dmstatus\x1b[0m=200 took %dms\r\n",
			i%60, i%8, i, i%256, i%97)
	}
	return b.Bytes()
}

// redrawStream returns the output of a full-screen program that redraws every
// row of a 24×80 screen.
func redrawStream() []byte {
	var b bytes.Buffer
	b.WriteString("\x1b[?1049h\x1b[?25l")
	for i := 0; b.Len() < streamSize; i++ {
		for r := range 24 {
			fmt.Fprintf(&b, "\x1b[%d;1H\x1b[%dm%5d\x1b[m root      20   0 %7d %6d S \x1b[1m%5.1f\x1b[m   0:00.%02d command-%d --with an argument\x1b[K",
				r+1, 31+(i+r)%7, r*31+i, i*r, i+r, float64(i%100), i%60, r)
		}
	}
	return b.Bytes()
}

// cjkStream returns wide characters and emoji.
func cjkStream() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < streamSize; i++ {
		for j := range 10 + i%20 {
			b.WriteRune(rune(0x4E00 + (i*31+j*7)%5000))
		}
		b.WriteString("🙂 ok\r\n")
	}
	return b.Bytes()
}

// ptyRead is the typical size of one read from a PTY.
const ptyRead = 4096

func BenchmarkWrite(b *testing.B) {
	for _, name := range []string{"plain", "colour", "redraw", "cjk"} {
		data := streams[name]()
		b.Run(name+"/glasstty", func(b *testing.B) {
			t := New(Options{})
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				for p := data; len(p) > 0; {
					n := min(len(p), ptyRead)
					t.Write(p[:n])
					p = p[n:]
				}
				t.scr.flush()
			}
		})
		b.Run(name+"/vt10x", func(b *testing.B) {
			t := vt10x.New(vt10x.WithSize(80, 24))
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				t.Write(data)
			}
		})
	}
}

// BenchmarkLook measures drawing a full frame and taking a Snapshot.
func BenchmarkLook(b *testing.B) {
	data := redrawStream()[:24*100]
	t := New(Options{})
	t.Write(data)
	for b.Loop() {
		t.Write(data)
		t.Snapshot(0)
	}
	b.SetBytes(int64(len(data)))
}

func BenchmarkSnapshot(b *testing.B) {
	t := New(Options{})
	t.Write(redrawStream())
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			t.Snapshot(0)
		}
	})
	b.Run("all rows changed", func(b *testing.B) {
		t.Snapshot(0)
		b.ReportAllocs()
		for b.Loop() {
			for _, r := range t.scr.rows {
				r.shown = nil
			}
			t.Snapshot(0)
		}
	})
}

// BenchmarkScrollback measures writing with a full scrollback of different
// sizes.
func BenchmarkScrollback(b *testing.B) {
	data := plainStream()[:64<<10]
	for _, lines := range []int{10, 10000, 100000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			t := New(Options{ScrollbackLines: lines, ScrollbackBytes: 1 << 30})
			for range lines {
				t.Write([]byte("filling\r\n"))
			}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				t.Write(data)
			}
		})
	}
}
