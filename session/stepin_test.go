package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/queue"
)

// slowReader reads nothing until it gets a line from a named pipe. Then it reads everything up to
// an E, and prints how much that was and how it ends.
const slowReader = `stty raw -echo; printf '\033[?2004hready\r\n'; read -r go <"$1"; IFS= read -r -d E all; printf 'read %d, %q\r\n' ${#all} "${all: -6}"; sleep 1000`

// TestStepInCutsTyping checks a person who steps in while a tool call types more than the program
// reads: the rest is not typed, the agent is told, and the person's keys come next. A paste that
// has begun is ended.
func TestStepInCutsTyping(t *testing.T) {
	t.Parallel()
	need.Program(t, "bash")
	for _, paste := range []bool{false, true} {
		fifo := filepath.Join(t.TempDir(), "go")
		if err := unix.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		s, _ := launch(t, newManager(t), "bash", "--norc", "-c", slowReader, "x", fifo)
		attends(t, s, ann)
		const all = 300_000
		said := make(chan error, 1)
		go func() {
			_, err := s.Type(context.Background(), Input{Text: strings.Repeat("a", all), Paste: paste})
			said <- err
		}()
		awaitFull(t, s.queue)
		if err := s.As(ann).TakeOver(false); err != nil {
			t.Fatal(err)
		}
		if err := <-said; !errors.Is(err, ErrPersonControls) || !strings.Contains(err.Error(), "of 3000") {
			t.Errorf("the agent's error is %v", err)
		}
		if n, err := s.As(ann).Type(t.Context(), Input{Text: "E"}); n != 1 || err != nil {
			t.Errorf("the person typed %d, %v", n, err)
		}
		if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
			t.Fatal(err)
		}
		r := exchange(t, s, Input{}, Wait{Pattern: regexp.MustCompile(`read (\d+), (.*)`), Timeout: patience})
		m := regexp.MustCompile(`read (\d+), (.*)`).FindStringSubmatch(r.Output)
		if m == nil {
			t.Fatalf("no answer in %q (%s)", r.Output, r.Reason)
		}
		if n, err := strconv.Atoi(m[1]); err != nil || n < 1 || n > queue.Limit/2 {
			t.Errorf("the program read %s bytes of %d", m[1], all)
		}
		if ends := strings.Contains(m[2], "[201~"); ends != paste {
			t.Errorf("pasted: %v; the program read up to %s", paste, m[2])
		}
		if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "were not typed") {
			t.Errorf("notes %q", r.Notes)
		}
		if err := s.As(ann).GiveBack("", false); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Type(t.Context(), Input{Text: "b"}); n != 1 || err != nil {
			t.Errorf("the agent then typed %d, %v", n, err)
		}
	}
}

// awaitFull waits until a queue has no room.
func awaitFull(t *testing.T, q *queue.Queue) {
	t.Helper()
	for {
		full, changed := q.Full()
		if full {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("the queue has room")
		}
	}
}
