package detect

import (
	"strings"
	"unicode/utf8"
)

// A Busy says whether, and how, the text of the screen shows that the program is working.
type Busy int

// Values of Busy.
const (
	BusyNot   Busy = iota
	BusySpins      // a word of the row is a single spinner character
	BusySays       // the text says so, such as "loading…"
)

// busyWords are words that programs print while they work.
var busyWords = []string{
	"loading", "please wait", "thinking", "working", "processing", "searching", "fetching", "connecting", "downloading",
	"installing", "updating", "generating", "running", "building", "starting", "saving", "sending", "computing", "wait",
}

// SaysBusy returns the Busy of a row of the screen, ignoring spinner characters and brackets at its
// ends. A busy word counts if it is alone in the row, or if the row begins with the word and ends
// with dots. A text about loading does not mean that the program is loading.
func SaysBusy(row string) Busy {
	busy := BusyNot
	for word := range strings.FieldsSeq(row) {
		if r, n := utf8.DecodeRuneInString(word); n == len(word) && spinnerSign(r) {
			busy = BusySpins
		}
	}
	text := strings.ToLower(strings.Trim(strings.TrimFunc(row, spinnerSign), " ()[]"))
	bare := strings.TrimRight(text, ".… ")
	for _, w := range busyWords {
		if bare == w || len(bare) < len(text) && strings.HasPrefix(bare, w) {
			return BusySays
		}
	}
	return busy
}

// spinnerSign reports whether r is a spinner character: a braille pattern with dots, or a part
// of a circle or square.
func spinnerSign(r rune) bool {
	return r > 0x2800 && r <= 0x28ff || strings.ContainsRune("◐◓◑◒◴◷◶◵◰◳◲◱◜◝◞◟◠◡", r)
}
