package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/eventlog"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) {
	if what := os.Getenv(hogVar); what != "" {
		hog(what)
		return
	}
	if os.Getenv(groupingVar) != "" {
		tellCgroups()
		return
	}
	goleak.VerifyTestMain(need.Home(m))
}

// newLocal returns an owner that is closed when the test ends.
func newLocal(t *testing.T, o Options) *Local {
	t.Helper()
	l := NewLocal(o)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return l
}

// startShell starts sh with a script, and kills it when the test ends.
func startShell(t *testing.T, o Owner, id, script string) Child {
	t.Helper()
	c, err := o.Start(Spec{
		ID: id, Path: need.Program(t, "sh"), Args: []string{"sh", "-c", script},
		Env: []string{"PATH=/usr/bin:/bin"}, Size: Size{24, 80},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.End(t.Context(), syscall.SIGKILL, 0); err != nil && t.Context().Err() == nil {
			t.Errorf("End: %v", err)
		}
		c.Close()
	})
	return c
}

// readUntil reads until the output ends in text, or to its end if text is empty. It returns the
// output, with resizes as <RxC>.
func readUntil(t *testing.T, c Child, text string) string {
	t.Helper()
	var b strings.Builder
	for text == "" || !strings.HasSuffix(b.String(), text) {
		e, err := c.Read()
		switch {
		case err == io.EOF && text == "":
			return b.String()
		case err != nil:
			t.Fatalf("after %q: %v", b.String(), err)
		case e.Kind == Resize:
			fmt.Fprintf(&b, "<%dx%d>", e.Size.Rows, e.Size.Cols)
		default:
			b.Write(e.Data)
		}
	}
	return b.String()
}

// drain reads the rest of a child's output, as a session does. Without a reader, a child ends only
// after DrainLimit.
func drain(c Child) {
	for {
		if _, err := c.Read(); err != nil {
			return
		}
	}
}

// TestFixedDir checks that nothing is started if the directory, or one above it, has been replaced
// by a link.
func TestFixedDir(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "real", "sub")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.Symlink("real", filepath.Join(root, "above")), os.Symlink("real/sub", filepath.Join(root, "link"))); err != nil {
		t.Fatal(err)
	}
	l := newLocal(t, Options{})
	spec := Spec{ID: "s1", Path: need.Program(t, "pwd"), Args: []string{"pwd"}, DirResolved: true, Size: Size{24, 80}}
	for _, name := range []string{"link", "above/sub"} {
		spec.Dir = filepath.Join(root, name)
		if _, err := l.Start(spec); !errors.Is(err, sandbox.ErrMoved) {
			t.Errorf("%s: %v", name, err)
		}
	}
	spec.Dir = dir
	c, err := l.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := readUntil(t, c, ""); got != dir+"\r\n" {
		t.Errorf("the child runs in %q, want %q", got, dir+"\r\n")
	}
	c.Wait()
}

// TestRepeatedInput checks that the part of a call's input that was already typed is not typed
// again.
func TestRepeatedInput(t *testing.T) {
	c := startShell(t, newLocal(t, Options{}), "s1", "stty raw -echo; echo up; head -c 12")
	readUntil(t, c, "up\n")
	for _, in := range []Input{
		{Call: "a", Data: []byte("one ")},
		{Call: "a", Data: []byte("one ")},            // again
		{Call: "a", Data: []byte("one two ")},        // again, and more
		{Call: "a", Data: []byte("two "), Offset: 4}, // again
		{Call: "b", Data: []byte("end.")},
	} {
		if n, err := c.Write(in); n != len(in.Data) || err != nil {
			t.Errorf("%+v: %d, %v", in, n, err)
		}
	}
	if got := readUntil(t, c, ""); got != "one two end." {
		t.Errorf("typed %q", got)
	}
	if exit := c.Wait(); exit != (Exit{At: exit.At}) || exit.At.IsZero() {
		t.Errorf("exit %+v", exit)
	}
}

// TestCallsForgotten checks that only the latest calls are remembered.
func TestCallsForgotten(t *testing.T) {
	c := newCalls()
	for i := range maxCalls + 1 {
		c.typed(fmt.Sprint(i), 3)
	}
	if len(c.done) != maxCalls || c.alreadyTyped("0", 0, 3) != 0 || c.alreadyTyped("1", 1, 9) != 2 {
		t.Errorf("%d calls, rest of the first %d, of the second %d", len(c.done), c.alreadyTyped("0", 0, 3), c.alreadyTyped("1", 1, 9))
	}
}

// TestResizeInOrder checks that a resize comes between the output before and after it, and that
// only so many resizes may wait while nobody reads.
func TestResizeInOrder(t *testing.T) {
	c := startShell(t, newLocal(t, Options{}), "s1", "stty -echo; echo up; while read x; do stty size; done")
	readUntil(t, c, "up\r\n")
	for cols := 81; cols < 90; cols++ {
		if err := c.Resize(Size{24, cols}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write(Input{Data: []byte("\r")}); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("<24x%d>24 %d\r\n", cols, cols)
		if got := readUntil(t, c, want[7:]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for range maxPending {
		if err := c.Resize(Size{10, 10}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Resize(Size{10, 10}); err == nil {
		t.Error("no error for more resizes than may wait")
	}
}

// TestLogComesFirst checks that everything that Read returns is already in the log, byte for byte
// and in order with input, resizes and segments, and that the offset of a new segment is right.
func TestLogComesFirst(t *testing.T) {
	store := &eventlog.MemStore{}
	l := newLocal(t, Options{
		NewStore: func(Spec) (eventlog.Store, error) { return store, nil },
		Log:      eventlog.Options{Direct: true, SegmentBytes: 4096, MaxBytes: 1 << 30},
	})
	// The shell stays until everything is read: an exit is logged after DrainLimit, even if there
	// is still output to read.
	c := startShell(t, l, "s1", "stty -echo; echo up; read x; seq 50000; printf '\\377'; read x")
	typed := strings.NewReplacer("<input go\r>", "", "<note input>", "", "<input end\r>", "")
	seen, turns := readUntil(t, c, "up\r\n"), 0
	if err := c.Resize(Size{30, 100}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(Input{Data: []byte("go\r"), Note: eventlog.NewNote(eventlog.NoteInput, eventlog.InputNote{Number: 1, Size: 3})}); err != nil {
		t.Fatal(err)
	}
	for {
		e, err := c.Read()
		if err != nil {
			break
		}
		switch e.Kind {
		case Resize:
			seen += "<resize>"
		case Segment:
			turns++
			if logged(t, store, e.Offset) == "" && !strings.HasSuffix(logged(t, store, 0), seen[max(0, len(seen)-100):]) {
				t.Errorf("the segment at %d does not begin after the output that was read", e.Offset)
			}
		default:
			seen += string(e.Data)
		}
		if e.Kind == Output && strings.HasSuffix(seen, "\xff") {
			if _, err := c.Write(Input{Data: []byte("end\r")}); err != nil {
				t.Fatal(err)
			}
		}
		if all := logged(t, store, 0); !strings.HasPrefix(typed.Replace(all), seen) {
			t.Fatalf("read %q before it was logged", seen[max(0, len(seen)-100):])
		}
	}
	c.Wait()
	want := typed.Replace(logged(t, store, 0))
	if seen += "<exit 0>"; seen != want || turns < 3 || !strings.HasSuffix(seen, "50000\r\n\xff<exit 0>") {
		t.Errorf("%d turns; read %d bytes, logged %d: %q", turns, len(seen), len(want), seen[max(0, len(seen)-40):])
	}
}

// logged returns the log from the beginning of a segment as text.
func logged(t *testing.T, store eventlog.Store, from int64) string {
	t.Helper()
	l, err := eventlog.Open(store)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(l.Segments, func(s eventlog.Segment) bool { return s.Offset == from }) {
		t.Fatalf("no segment begins at %d", from)
	}
	var b strings.Builder
	for e, err := range l.Events() {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Offset < from:
		case e.Kind == eventlog.Output:
			b.Write(e.Data)
		case e.Kind == eventlog.Input:
			fmt.Fprintf(&b, "<input %s>", e.Data)
		case e.Kind == eventlog.Note:
			fmt.Fprintf(&b, "<note %s>", e.Name)
		case e.Kind == eventlog.Resize:
			b.WriteString("<resize>")
		case e.Kind == eventlog.Exit:
			fmt.Fprintf(&b, "<exit %d>", e.Code)
		}
	}
	return b.String()
}

// TestFailedStart checks that a child that cannot be started leaves no log behind.
func TestFailedStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s1")
	l := newLocal(t, Options{NewStore: func(Spec) (eventlog.Store, error) {
		return eventlog.DirStore(dir), os.Mkdir(dir, 0o700)
	}})
	if c, err := l.Start(Spec{ID: "s1", Path: filepath.Join(dir, "none"), Args: []string{"none"}, Size: Size{24, 80}}); err == nil {
		t.Errorf("%v was started", c)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the log still exists: %v", err)
	}
	startShell(t, l, "s1", "exit")
}

// firstNumber returns the number at the start of text.
func firstNumber(t *testing.T, text string) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return n
}

// TestGauge checks that a read in progress counts as output ahead.
func TestGauge(t *testing.T) {
	var g Gauge
	if g.Ahead(0) {
		t.Error("Ahead(0) is true before the first read")
	}
	g.beginRead()
	if !g.Ahead(0) {
		t.Error("Ahead(0) is false during a read")
	}
	g.endRead(5)
	if g.Ahead(5) || !g.Ahead(4) {
		t.Error("Ahead(5) is true, or Ahead(4) is false, after 5 bytes were read")
	}
}
