// Command emulate measures how fast the emulator processes output, and compares it with others on the
// same streams in the same run:
//
//	go run ./internal/bench/emulate [-mb 16] [-rounds 3] [-check]
//
// The others are vt10x by itself, @xterm/headless (after npm ci in internal/bench/conform/oracle),
// and a PTY to which cat writes and whose output is discarded. It prints the speed in MB/s, the best
// of the rounds, and the required ratios: the emulator processes floods faster than a PTY delivers
// them and at least 1.3 times as fast as @xterm/headless, and redraws at least 80 % as fast as vt10x
// by itself. With -check, it fails if a ratio is missed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	mb := flag.Int("mb", 16, "size of each stream in MB")
	rounds := flag.Int("rounds", 3, "rounds, of which the best counts")
	check := flag.Bool("check", false, "fail where a required ratio is missed")
	flag.Parse()
	missed, err := run(os.Stdout, *mb<<20, *rounds, "internal/bench/conform/oracle")
	if err == nil && *check && missed > 0 {
		err = fmt.Errorf("%d ratios are missed", missed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "emulate:", err)
		os.Exit(1)
	}
}

// speeds maps contenders to MB/s.
type speeds map[string]float64

// run measures all streams and returns how many required ratios were missed.
func run(w io.Writer, size, rounds int, oracle string) (missed int, err error) {
	dir, err := os.MkdirTemp("", "emulate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	all := contenders(oracle)
	for _, s := range streams() {
		best, err := measure(s, size, rounds, all, dir)
		if err != nil {
			return missed, fmt.Errorf("%s: %w", s.name, err)
		}
		missed += print(w, s.name, all, best)
	}
	return missed, nil
}

// measure runs all contenders in turn, so that load on the machine affects all of
// them.
func measure(s stream, size, rounds int, all []contender, dir string) (speeds, error) {
	data := s.make(size)
	file := filepath.Join(dir, "stream")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	best := speeds{}
	for range rounds {
		for _, c := range all {
			took, err := c.run(data, file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			if took <= 0 {
				return nil, errors.New("the clock did not move")
			}
			best[c.name] = max(best[c.name], float64(len(data))/1e6/(float64(took)/float64(time.Second)))
		}
	}
	return best, nil
}

// A floor is a required minimum ratio (issue 4).
type floor struct {
	stream, other string
	ratio         float64
}

func floors() []floor {
	return []floor{
		{"plain text", "cat on a PTY", 1}, {"plain text", "@xterm/headless", 1.3},
		{"coloured logs", "cat on a PTY", 1}, {"coloured logs", "@xterm/headless", 1.3},
		{"full-screen redraws", "vt10x", 0.8},
	}
}

// print writes the line of one stream and returns the number of floors that it
// missed.
func print(w io.Writer, name string, all []contender, best speeds) (missed int) {
	fmt.Fprintf(w, "%-20s emulator %6.1f MB/s", name, best["emulator"])
	for _, c := range all[1:] {
		ratio := best["emulator"] / best[c.name]
		fmt.Fprintf(w, " | %s %.1f: ratio %.2f", c.name, best[c.name], ratio)
		for _, f := range floors() {
			if f.stream == name && f.other == c.name {
				verdict := "ok"
				if ratio < f.ratio {
					verdict = "MISSED"
					missed++
				}
				fmt.Fprintf(w, " (≥ %.1f %s)", f.ratio, verdict)
			}
		}
	}
	fmt.Fprintln(w)
	return missed
}
