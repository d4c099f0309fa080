// Command esctest runs Thomas Dickey's esctest2 against the emulator:
//
//	go run ./internal/bench/esctest -suite CHECKOUT [-include REGEX] [-log FILE] [-xterm]
//
// CHECKOUT is a clone of github.com/ThomasDickey/esctest2; it needs python3. The
// suite runs on a PTY whose other end is a Terminal of 25 rows and 80 columns. Each
// test that does not pass must be in expected.txt with the reason, and each test
// there must fail: else the command fails. With -xterm the suite runs in xterm on
// Xvfb instead, and expected.txt is not looked at.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"github.com/creack/pty"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/bench/conform"
)

//go:embed expected.txt
var expectedText string

// The size that the suite's tests begin with.
var size = emulator.Size{Rows: 25, Cols: 80}

func main() {
	suite := flag.String("suite", "", "a clone of esctest2")
	include := flag.String("include", ".", "run only the tests whose names match this regular expression")
	log := flag.String("log", "", "keep the suite's log in this file")
	inXTerm := flag.Bool("xterm", false, "run the suite in xterm on Xvfb")
	flag.Parse()
	if err := run(os.Stdout, *suite, *include, *log, *inXTerm); err != nil {
		fmt.Fprintln(os.Stderr, "esctest:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, suite, include, log string, inXTerm bool) error {
	suite, err := filepath.Abs(filepath.Join(suite, "esctest"))
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(suite, "esctest.py")); err != nil {
		return fmt.Errorf("-suite must name a clone of esctest2: %w", err)
	}
	if log == "" {
		dir, err := os.MkdirTemp("", "esctest")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		log = filepath.Join(dir, "log")
	}
	if log, err = filepath.Abs(log); err != nil { // the suite runs in its own directory
		return err
	}
	args := []string{"python3", "esctest.py", "--expected-terminal=xterm", "--max-vt-level=4",
		"--no-print-logs", "--timeout=1", "--xterm-reverse-wrap=383", "--logfile=" + log, "--include=" + include}
	if inXTerm {
		err = throughXTerm(args, suite)
	} else {
		err = throughEmulator(args, suite)
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	results := parseLog(string(text))
	if inXTerm {
		return results.print(w, nil)
	}
	expected, err := parseExpected(expectedText)
	if err != nil {
		return err
	}
	return results.print(w, expected)
}

// throughEmulator runs the suite on a PTY that a Terminal answers.
func throughEmulator(args []string, dir string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(size.Rows), Cols: uint16(size.Cols)})
	if err != nil {
		return err
	}
	defer tty.Close()
	t := emulator.New(emulator.Options{Size: size, Light: true}) // xterm is dark on light
	buf := make([]byte, 64<<10)
	for {
		n, err := tty.Read(buf)
		t.Write(buf[:n])
		t.TakeEvents()
		if replies := t.TakeReplies(); len(replies) > 0 {
			if _, err := tty.Write(replies); err != nil {
				return err
			}
		}
		if err != nil { // EIO: the suite has ended
			return cmd.Wait()
		}
	}
}

// throughXTerm runs the suite in xterm with window operations allowed.
func throughXTerm(args []string, dir string) error {
	xvfb, err := exec.LookPath("Xvfb")
	if err != nil {
		return err
	}
	x, err := conform.StartXServer(xvfb)
	if err != nil {
		return err
	}
	defer x.Close()
	cmd := exec.Command("xterm", append([]string{"-u8", "-fn", "5x7", "-geometry", fmt.Sprintf("%dx%d", size.Cols, size.Rows),
		"-xrm", "XTerm*allowWindowOps: true", "-xrm", "XTerm*disallowedWindowOps: ", "-xrm", "XTerm*c132: true", "-e"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DISPLAY="+x.Display(), "LC_ALL=C.UTF-8")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// A verdict is what the suite says of one test: passed, failed, or not counted,
// because xterm is known to fail it or the VT level is too low.
type verdict string

const (
	passed  verdict = "passed"
	failed  verdict = "failed"
	skipped verdict = "skipped"
)

type results map[string]verdict

// parseLog reads the suite's log.
func parseLog(log string) results {
	r := results{}
	name := ""
	for _, line := range strings.Split(log, "\n") {
		switch {
		case strings.HasPrefix(line, "Run test: "):
			name = strings.TrimPrefix(line, "Run test: ")
			r[name] = failed
		case line == "Passed.":
			r[name] = passed
		case strings.HasPrefix(line, "Fails as expected:"), strings.HasPrefix(line, "Skipped because"):
			r[name] = skipped
		}
	}
	return r
}

// parseExpected reads lines of the form "name: reason".
func parseExpected(text string) (map[string]string, error) {
	out := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name, reason, ok := strings.Cut(line, ": ")
		if !ok || out[name] != "" {
			return nil, fmt.Errorf("expected.txt:%d: want one \"test: reason\" for each test, got %q", i+1, line)
		}
		out[name] = reason
	}
	return out, nil
}

// print writes what did not pass and the sums; with expected it returns an
// error for each surprise.
func (r results) print(w io.Writer, expected map[string]string) error {
	names := make([]string, 0, len(r))
	count := map[verdict]int{}
	for name, v := range r {
		names = append(names, name)
		count[v]++
	}
	sort.Strings(names)
	surprises := 0
	for _, name := range names {
		reason, known := expected[name]
		switch v := r[name]; {
		case v == passed && known:
			surprises++
			fmt.Fprintf(w, "passed, but expected.txt has it  %s: %s\n", name, reason)
		case v != passed && expected != nil && !known:
			surprises++
			fmt.Fprintf(w, "%s unexpectedly  %s\n", v, name)
		case v != passed:
			fmt.Fprintf(w, "%s  %s: %s\n", v, name, reason)
		}
	}
	fmt.Fprintf(w, "%d tests: %d passed, %d failed, %d skipped\n", len(r), count[passed], count[failed], count[skipped])
	if surprises > 0 {
		return fmt.Errorf("%d results are not as expected.txt has them", surprises)
	}
	return nil
}
