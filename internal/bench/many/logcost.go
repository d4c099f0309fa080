package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
)

// piece is the size in bytes of a read from a terminal whose program writes a lot of output.
// Sizes of 11 to 27 KB were observed, larger on busier machines.
const piece = 12 << 10

// A logFigure is the cost of logging a stream, compared with its emulation.
type logFigure struct {
	stream         string
	emulation, log float64 // MB/s
}

// share returns the time for the log as a percentage of the time for the emulation.
func (f logFigure) share() float64 { return 100 * f.emulation / f.log }

// logCost measures streams of size bytes.
func logCost(scratch string, size int) (all []logFigure, err error) {
	for _, s := range []struct {
		name, line string
	}{
		{"plain text", "a line of words as a program prints it number %d\r\n"},
		{"coloured logs", "\x1b[90m12:00:00\x1b[0m \x1b[1;32mINFO\x1b[0m \x1b[38;5;%[1]dmserver\x1b[39m request %[1]d took \x1b[2m12 ms\x1b[22m\r\n"},
		{"redraws", "\x1b[H\x1b[2J\x1b[7m top %d \x1b[0m\x1b[3;1Hcpu \x1b[32m||||||||\x1b[0m   12.5%%\x1b[K\x1b[5;10H日本語\x1b[K\x1b[24;80H*"},
	} {
		var b bytes.Buffer
		for n := 0; b.Len() < size; n++ {
			fmt.Fprintf(&b, s.line, n%256)
		}
		f := logFigure{stream: s.name}
		for range 3 { // the best of three
			log, err := logSpeed(filepath.Join(scratch, "log"), b.Bytes())
			if err != nil {
				return all, err
			}
			f.emulation, f.log = max(f.emulation, emulatorSpeed(b.Bytes())), max(f.log, log)
		}
		all = append(all, f)
	}
	return all, nil
}

// emulatorSpeed returns the emulator's speed for a stream, in MB/s.
func emulatorSpeed(p []byte) float64 {
	t := emulator.New(emulator.Options{})
	from := time.Now()
	for at := 0; at < len(p); at += piece {
		_, _ = t.Write(p[at:min(at+piece, len(p))]) // always nil
		t.TakeReplies()
	}
	t.Snapshot(0)
	return speed(len(p), time.Since(from))
}

// logSpeed returns the speed of a log on disk in MB/s, if each piece of the stream
// is written before the next.
func logSpeed(dir string, p []byte) (float64, error) {
	if err := os.RemoveAll(dir); err != nil {
		return 0, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, err
	}
	began := time.Now()
	w, err := eventlog.Create(eventlog.DirStore(dir), eventlog.Start{Session: "s1", Time: began, Rows: 24, Cols: 80}, eventlog.Options{Direct: true})
	if err != nil {
		return 0, err
	}
	from := time.Now()
	for at := 0; at < len(p); at += piece {
		w.Append(eventlog.Event{Kind: eventlog.Output, At: time.Since(began), Data: p[at:min(at+piece, len(p))]})
		if err := w.Flush(); err != nil {
			return 0, err
		}
	}
	took := time.Since(from)
	return speed(len(p), took), w.Close()
}

// speed returns the speed in MB/s.
func speed(n int, took time.Duration) float64 { return float64(n) / (1 << 20) / took.Seconds() }
