package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// events reads all available lines of a Follower and returns their events.
func (f *Follower) events(t *testing.T) string {
	t.Helper()
	var out []string
	for {
		lines, err := f.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(lines) == 0 {
			return strings.Join(out, " ")
		}
		for _, l := range lines {
			parsed, hash, _, ok := decode(append(l.Text, '\n'), nil)
			if !ok || parsed.Seq != l.Seq || hash != l.Hash {
				t.Errorf("line %d is %q", l.Seq, l.Text)
			}
			event := parsed.Event
			if parsed.Event == eventUnshipped {
				event += "(" + parsed.Why + ")"
			}
			out = append(out, event)
		}
	}
}

// TestFollow checks that a Follower reads the lines of one of two nodes that share a file:
// new lines, lines after the last known one, and lines across a rotation.
func TestFollow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	l, other := open(t, Options{Path: path, Node: "one"}), open(t, Options{Path: path, Node: "two"})
	f := l.Follow()
	defer f.Close()
	is := func(want string) {
		t.Helper()
		if got := f.events(t); got != want {
			t.Errorf("read %q, want %q", got, want)
		}
	}
	is("")
	write(t, l, "a", "b")
	write(t, other, "x")
	write(t, l, "c")
	is("a b c")
	<-l.Written()
	write(t, l, "d")
	<-l.Written()
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write(t, other, "y")
	write(t, l, "e")
	is("d e")

	skip := func(last int64, hash string) {
		t.Helper()
		f = l.Follow()
		t.Cleanup(func() { f.Close() })
		if err := f.Skip(Line{Seq: last, Hash: hash}); err != nil {
			t.Fatal(err)
		}
	}
	seq, hash := l.End()
	skip(seq, hash)
	is("")
	write(t, l, "f")
	is("f")
	skip(seq, "") // the line is not known, so the whole file is read
	is("e f")
	skip(4, hash) // line 5 was in the rotated file
	is("e f audit.unshipped(lines 5 to 5 are no longer in the file)")
	skip(90, "x") // the last line is of another log
	is("e f audit.unshipped(lines 5 to 5 are no longer in the file)")
}

// TestFollowGaps checks what a Follower reports of removed lines, invalid lines and a
// truncated file.
func TestFollowGaps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	l := open(t, Options{Path: path, Node: "one"})
	f := l.Follow()
	defer f.Close()
	write(t, l, "a", "b", "c", "d")
	all := lines(t, path)
	long := strings.Repeat("x", maxRead+chunkSize) + "\n"
	text := all[0] + "no line\n" + long + strings.Replace(all[2], `"hash":"`, `"hash":"*.`, 1) + all[3]
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := f.events(t)
	for _, want := range []string{
		"a ", " d ", "(after line 1 there are 7 bytes that are not a line of this log)", fmt.Sprintf("there are %d bytes", maxRead), "(lines 2 to 3 are no longer in the file)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("read %q, lacks %q", got, want)
		}
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	write(t, l, "e")
	if got := f.events(t); !strings.Contains(got, "e") {
		t.Errorf("read %q from a truncated file", got)
	}
}
