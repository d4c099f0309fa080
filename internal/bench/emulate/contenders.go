package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"
	"github.com/glasstty/glasstty/emulator"
	"github.com/hinshun/vt10x"
)

// piece is the maximum size of a read from a PTY: Linux returns at most 4,095 bytes at once.
const piece = 4095

// A contender processes a stream, which is also in file, and returns the time that it took.
type contender struct {
	name string
	run  func(data []byte, file string) (time.Duration, error)
}

// contenders returns the contenders that can run here; node may be missing.
func contenders(oracle string) []contender {
	all := []contender{{"emulator", ours}, {"vt10x", bare}, {"cat on a PTY", cat}}
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(filepath.Join(oracle, "node_modules")); err != nil || missing != nil {
		fmt.Fprintf(os.Stderr, "@xterm/headless is skipped; it needs node, and npm ci in %s\n", oracle)
		return all
	}
	return append(all, contender{"@xterm/headless", func(_ []byte, file string) (time.Duration, error) {
		return headless(node, oracle, file)
	}})
}

// feed writes data in pieces.
func feed(data []byte, write func([]byte)) {
	for len(data) > 0 {
		n := min(piece, len(data))
		write(data[:n])
		data = data[n:]
	}
}

// ours is the emulator. Its screen is read once at the end, as after a flood.
func ours(data []byte, _ string) (time.Duration, error) {
	t := emulator.New(emulator.Options{})
	start := time.Now()
	feed(data, func(p []byte) {
		t.Write(p)
		t.TakeReplies()
	})
	t.Snapshot(0)
	return time.Since(start), nil
}

// bare is vt10x by itself.
func bare(data []byte, _ string) (time.Duration, error) {
	t := vt10x.New(vt10x.WithSize(80, 24), vt10x.WithWriter(io.Discard))
	start := time.Now()
	feed(data, func(p []byte) { t.Write(p) })
	return time.Since(start), nil
}

// cat writes the file to a PTY whose output is discarded. The PTY has its
// default settings: the kernel adds a carriage return before each line feed.
func cat(data []byte, file string) (time.Duration, error) {
	master, tty, err := pty.Open()
	if err != nil {
		return 0, err
	}
	defer master.Close()
	plain := file + ".lf"
	if err := os.WriteFile(plain, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), 0o600); err != nil {
		return 0, err
	}
	cmd := exec.Command("cat", plain)
	cmd.Stdout = tty
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	tty.Close()
	n, _ := io.Copy(io.Discard, master) // ends with EIO when cat has exited
	took := time.Since(start)
	if err := cmd.Wait(); err != nil {
		return 0, err
	}
	if n != int64(len(data)) {
		return 0, fmt.Errorf("cat delivered %d of %d bytes", n, len(data))
	}
	return took, nil
}

// headless runs speed.js, which prints milliseconds.
func headless(node, dir, file string) (time.Duration, error) {
	cmd := exec.Command(node, "speed.js", file, strconv.Itoa(piece))
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	ms, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return time.Duration(ms * float64(time.Millisecond)), err
}
