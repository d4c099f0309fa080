package text

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

func TestLastLine(t *testing.T) {
	long := strings.Repeat("word ", 5) + "end"
	for _, tt := range []struct {
		name, output string
		atPrompt     bool
		first, last  int
		want         string
	}{
		{"nothing", "", false, 0, 0, ""},
		{"a border below", "one\r\n-----\r\n", false, 0, 0, "one"},
		{"soft-wrapped", "one\r\n" + long + "\r\n", false, 1, 3, long},
		{"wide characters that do not fit at the end of a row", "123456789日本\r\n", false, 0, 1, "123456789日本"},
		{"a prompt", "one\r\n$ ", true, 0, 0, "one"},
		{"a prompt whose line is soft-wrapped", "one\r\n$ echo " + long, true, 0, 0, "one"},
		{"scrolled out in part", long + "\r\n\n\n\n", false, 0, 0, "word end"},
		{"the other screen", "one\x1b[?1049h\x1b[H" + long, true, 0, 2, long},
	} {
		t.Run(tt.name, func(t *testing.T) {
			term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 5, Cols: 10}})
			if _, err := term.Write([]byte(tt.output)); err != nil {
				t.Fatal(err)
			}
			if first, last, got := LastLine(term, tt.atPrompt); got != tt.want || first != tt.first || last != tt.last {
				t.Errorf("got %q in rows %d to %d, want %q in %d to %d", got, first, last, tt.want, tt.first, tt.last)
			}
		})
	}
}
