package text

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

func TestSearchLimits(t *testing.T) {
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}})
	for i := range maxHits + 50 {
		_, _ = term.Write(fmt.Appendf(nil, "hit %d\r\n", i))
	}
	count := func(pattern string, tail, beside, limit int) (hits, lines int, last int64, more bool) {
		all := term.Lines(term.FirstLine(), term.EndLine())
		matches, _ := Search(t.Context(), regexp.MustCompile(pattern), all)
		found, more := Around(all, matches, tail, beside, limit)
		for _, f := range found {
			hits += len(f.Hits)
			lines += len(f.Text)
			last = f.Hits[len(f.Hits)-1]
		}
		return hits, lines, last, more
	}
	for _, tt := range []struct {
		pattern             string
		tail, around, limit int
		wantHits, wantLines int
		wantLast            int64
		wantMore            bool
	}{
		{"hit", 0, 0, 1 << 20, maxHits, maxHits, maxHits - 1, true},
		{"hit 1.$", 0, 0, 1 << 20, 10, 10, 19, false},
		{"hit 1.$", 0, 0, 21, 3, 3, 12, true},
		{"hit 15$", 0, 2, 1 << 20, 1, 5, 15, false},
		{"hit 1[57]$", 0, 2, 1 << 20, 2, 7, 17, false},
		{"none", 0, 2, 10, 0, 0, 0, false},
		{"hit 1.$", 3, 0, 1 << 20, 3, 3, 19, false},
		{"hit 1[57]$", 1, 2, 1 << 20, 1, 5, 17, false},
		{"hit 1[57]$", 5, 2, 1 << 20, 2, 7, 17, false},
		{"hit 1.$", 9, 0, 21, 3, 3, 19, true},
		{"hit 1.$", 9, 1, 42, 4, 6, 19, true},
		{"hit", 1000, 0, 1 << 20, maxHits, maxHits, maxHits + 49, true},
		{"none", 5, 2, 10, 0, 0, 0, false},
		{"hit 15$", 5, 0, 3, 1, 1, 15, false},
	} {
		hits, lines, last, more := count(tt.pattern, tt.tail, tt.around, tt.limit)
		if hits != tt.wantHits || lines != tt.wantLines || last != tt.wantLast || more != tt.wantMore {
			t.Errorf("%q, tail %d, %d around, %d characters: %d hits, %d lines, the last in %d, more %v; want %d, %d, %d, %v",
				tt.pattern, tt.tail, tt.around, tt.limit, hits, lines, last, more, tt.wantHits, tt.wantLines, tt.wantLast, tt.wantMore)
		}
	}
}
