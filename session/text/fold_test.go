package text

import (
	"fmt"
	"strings"
	"testing"
)

// TestFold checks which lines are folded, and that no line that differs is lost.
func TestFold(t *testing.T) {
	count := func(format string, from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, in, want string }{
		{"equal", strings.Repeat("same\n", 5), "same\n… 4 more like it …"},
		{"two", "same\nsame", "same\nsame"},
		{"counted", count("file %d of 100", 1, 100), "file 1 of 100\n… 98 lines like these …\nfile 100 of 100"},
		{"counted down", "in 3 s\nin 2 s\nin 1 s\nin 0 s", "in 3 s\n… 2 lines like these …\nin 0 s"},
		{"decimals", "1.8 MB\n1.9 MB\n2.0 MB\n2.15 MB\n2.2 MB", "1.8 MB\n… 3 lines like these …\n2.2 MB"},
		{"one that differs", strings.Repeat("errors 0\n", 5) + "errors 17\n" + strings.Repeat("errors 0\n", 5), "errors 0\n… 4 more like it …\nerrors 17\nerrors 0\n… 4 more like it …"},
		{"one of several numbers", "t 1 errors 0\nt 2 errors 0\nt 3 errors 0\nt 4 errors 0\nt 5 errors 9\nt 6 errors 0\nt 7 errors 0\nt 8 errors 0", "t 1 errors 0\n… 2 lines like these …\nt 4 errors 0\nt 5 errors 9\nt 6 errors 0\nt 7 errors 0\nt 8 errors 0"},
		{"up and down", "5\n9\n2\n7\n3", "5\n9\n2\n7\n3"},
		{"other digits", "a 1.5\na 15\na 1,5", "a 1.5\na 15\na 1,5"},
		{"zeros", "7\n07\n007\n0007", "7\n07\n007\n0007"},
		{"blank", "\n\n\n", "\n… 2 more like it …"},
	} {
		var lines []OutputLine
		for i, l := range strings.Split(strings.TrimSuffix(tt.in, "\n"), "\n") {
			lines = append(lines, OutputLine{int64(i), l})
		}
		if got := JoinAll(Fold(lines)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
