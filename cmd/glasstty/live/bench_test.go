package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// BenchmarkFrame measures encoding a screen of which one row, or every row, has changed.
// It reports the bytes that a page gets, compared with the whole screen as text and as a
// picture.
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
				if data, err = json.Marshal(newFrame("s1", "", after, bb.since, after.Size)); err != nil {
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
			b.ReportMetric(float64(len(data))/float64(text.Len()), "change/ansi")
		})
	}
}

// write writes text to a terminal.
func write(b *testing.B, term *emulator.Terminal, text string) {
	b.Helper()
	if _, err := term.Write([]byte(text)); err != nil {
		b.Fatal(err)
	}
}
