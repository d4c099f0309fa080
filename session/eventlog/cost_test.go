package eventlog

import (
	"testing"
	"time"
)

// BenchmarkDirect measures the cost of writing one read of a terminal, 4 KB of coloured lines, to a
// log on disk before the next read.
func BenchmarkDirect(b *testing.B) {
	var p []byte
	for len(p) < 4<<10 {
		p = append(p, "\x1b[90m12:00:00\x1b[0m \x1b[1;32mINFO\x1b[0m request 17 took \x1b[2m12 ms\x1b[22m\r\n"...)
	}
	p = p[:4<<10]
	for name, st := range map[string]Store{"disk": DirStore(b.TempDir()), "encoding": nowhere{&MemStore{}}} {
		b.Run(name, func(b *testing.B) {
			w, err := Create(st, start(), Options{Direct: true, SegmentBytes: 1 << 40, MaxBytes: 1 << 40})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			b.SetBytes(int64(len(p)))
			for i := 0; b.Loop(); i++ {
				w.Append(Event{Kind: Output, At: time.Duration(i) * time.Millisecond, Data: p})
				if err := w.Flush(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// nowhere is a store whose files keep no data.
type nowhere struct{ *MemStore }

type noFile struct{}

func (nowhere) Create(string) (File, error) { return noFile{}, nil }
func (noFile) Write(p []byte) (int, error)  { return len(p), nil }
func (noFile) Truncate(int64) error         { return nil }
func (noFile) Close() error                 { return nil }
