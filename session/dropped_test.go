package session

import (
	"fmt"
	"strings"
	"testing"
)

// TestDroppedBytes floods a reader with more than the kept history, and checks that what the reader
// gets and what it is told to have lost add up to everything that was shown.
func TestDroppedBytes(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	const last = 30_000
	r := exchange(t, s, Input{Text: "seq 1 30000", Enter: true}, Wait{Timeout: patience, MaxOutputChars: 1 << 20})
	if r.DroppedBytes == 0 || !strings.HasSuffix(r.Output, "\n30000") {
		t.Fatalf("dropped %d, output ends %q", r.DroppedBytes, r.Output[max(0, len(r.Output)-20):])
	}
	shown := int64(len(numbers(1, last)))
	echo := int64(len("seq 1 30000\n"))
	if got := r.DroppedBytes + int64(len(r.Output)); got != shown+echo {
		t.Errorf("%d dropped and %d returned bytes are %d, want %d", r.DroppedBytes, len(r.Output), got, shown+echo)
	}
	list, err := s.MessageTexts(idsOf(t, s))
	if err != nil {
		t.Fatal(err)
	}
	m := list[len(list)-1]
	if left := fmt.Sprintf("… %d bytes left out …\n", m.Left); m.Left == 0 || m.Size != m.Left+len(m.Content)-len(left) || !strings.HasPrefix(m.Content, left) || !strings.HasSuffix(m.Content, "\n30000") {
		t.Errorf("message %s of %d bytes, %d of them left out: %.40q", m.ID, m.Size, m.Left, m.Content)
	}
	if r := exchange(t, s, Input{Text: "echo on", Enter: true}, Wait{Timeout: patience}); r.DroppedBytes != 0 || r.Output != "on" {
		t.Errorf("afterwards: dropped %d, output %q", r.DroppedBytes, r.Output)
	}
}
