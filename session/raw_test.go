package session

import (
	"strconv"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
)

// TestRawPages checks that raw output read in pages of lines is complete and not repeated.
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

// TestRawEcho checks that the raw output of a program that repeats its input counts as unread,
// although as lines it is an echo.
func TestRawEcho(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "sh", "-c", "stty raw -echo; echo up; exec cat")
	read := func() *Reply {
		t.Helper()
		r, _, err := s.Read(t.Context(), ReadOptions{}, Wait{Raw: true, Timeout: patience}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, text := range []string{"aaaa", "bbbb"} {
		if _, err := s.Type(t.Context(), Input{Text: text}); err != nil {
			t.Fatal(err)
		}
		for got := ""; !strings.Contains(got, text); {
			r := read()
			if got += r.Output; r.Reason == detect.Timeout {
				t.Fatalf("after %q: %+v", got, r)
			}
		}
	}
}
