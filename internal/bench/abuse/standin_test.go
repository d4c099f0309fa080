package abuse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/term"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/sandbox"
)

// recordVar names the file in which a stand-in records its input lines. If it is set,
// this binary is a stand-in.
const recordVar = "GLASSTTY_TEST_RECORD"

// attackArg is the first argument that makes this binary an attacker.
const attackArg = "attack"

func TestMain(m *testing.M) {
	switch {
	case sandbox.IsLauncher(os.Args):
		os.Exit(sandbox.Main())
	case len(os.Args) > 2 && os.Args[1] == attackArg:
		attackMain(os.Args[2:])
		return
	case os.Getenv(greedVar) != "":
		greed(os.Getenv(greedVar))
		return
	}
	if os.Getenv(sayVar) != "" {
		if err := say(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if file := os.Getenv(recordVar); file != "" {
		if err := standIn(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(need.Home(m).Run())
}

// prompts maps the name of each program to the prompt of its stand-in.
var prompts = map[string]string{
	"bash": "$ ", "psql": "app=# ", "python3": ">>> ", "node": "> ", "irb": "irb(main):001> ", "perl": "> ",
	"redis-cli": "127.0.0.1:6379> ", "mongosh": "app> ", "vim": "", "gdb": "(gdb) ", "sftp": "sftp> ",
}

// standIn reads lines with a line editor that keeps a history, and appends each line to
// file, until its input ends.
func standIn(file string) error {
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	old, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return err
	}
	defer term.Restore(int(os.Stdin.Fd()), old)
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{ctrlC{os.Stdin}, os.Stdout}, prompts[filepath.Base(os.Args[0])])
	for {
		line, err := t.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, term.ErrPasteIndicator):
			return err
		}
		data, err := json.Marshal(line)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(data, '\n')); err != nil {
			return err
		}
	}
}

// ctrlC is a reader that replaces Ctrl+C with Ctrl+E Ctrl+U, which discards the line.
type ctrlC struct{ r io.Reader }

// Read implements io.Reader.
func (c ctrlC) Read(p []byte) (int, error) {
	n, err := c.r.Read(p[:max(len(p)/2, 1)])
	return copy(p, bytes.ReplaceAll(p[:n], []byte{3}, []byte{5, 21})), err
}

// reached returns the lines that a stand-in has recorded.
func reached(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line string
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", strings.TrimSpace(lines.Text()), err)
		}
		out = append(out, line)
	}
	return out
}
