package session

import (
	"strconv"
	"strings"
	"testing"
)

// TestRawPages reads raw output in pages of lines: nothing is lost or given twice.
func TestRawPages(t *testing.T) {
	s, _ := launch(t, newManager(t), "sh", "-c", "stty -echo -onlcr; seq 20; read x")
	id, err := s.AddReader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all, want string
	for more := true; more; {
		r, _ := read(t, s, ReadOptions{}, Wait{Raw: true, MaxLines: 3, Reader: id, Timeout: patience})
		if n := strings.Count(r.Output, "\n"); n > 3 || r.HasMore && n != 3 {
			t.Fatalf("a page of %d lines, has more: %v", n, r.HasMore)
		}
		all, more = all+r.Output, r.HasMore
	}
	for i := range 20 {
		want += strconv.Itoa(i+1) + "\n"
	}
	if all != want {
		t.Errorf("all pages: %q", all)
	}
}
