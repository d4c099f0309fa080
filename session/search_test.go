package session

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

func TestSearchLimits(t *testing.T) {
	s := &Session{term: emulator.New(emulator.Options{})}
	for i := range maxHits + 50 {
		_, _ = s.term.Write(fmt.Appendf(nil, "hit %d\r\n", i))
	}
	count := func(pattern string, around, limit int) (hits, lines int, more bool) {
		found, more := s.searchLocked(regexp.MustCompile(pattern), around, limit)
		for _, f := range found {
			hits += len(f.Hits)
			lines += len(f.Text)
		}
		return hits, lines, more
	}
	for _, tt := range []struct {
		pattern             string
		around, limit       int
		wantHits, wantLines int
		wantMore            bool
	}{
		{"hit", 0, 1 << 20, maxHits, maxHits, true},
		{"hit 1.$", 0, 1 << 20, 10, 10, false},
		{"hit 1.$", 0, 21, 3, 3, true},
		{"hit 15$", 2, 1 << 20, 1, 5, false},
		{"hit 1[57]$", 2, 1 << 20, 2, 7, false},
		{"none", 2, 10, 0, 0, false},
	} {
		hits, lines, more := count(tt.pattern, tt.around, tt.limit)
		if hits != tt.wantHits || lines != tt.wantLines || more != tt.wantMore {
			t.Errorf("%q, %d around, %d characters: %d hits, %d lines, more %v; want %d, %d, %v",
				tt.pattern, tt.around, tt.limit, hits, lines, more, tt.wantHits, tt.wantLines, tt.wantMore)
		}
	}
}
