package detect

import (
	"strings"
	"unicode/utf8"
)

// Busy says whether new text on the screen means that the program works.
type Busy int

// The values of Busy.
const (
	BusyNot   Busy = iota
	BusySpins      // the text has a spinner's sign
	BusySays       // the text says so in words
)

// busyWords are the words with which programs say that they work.
var busyWords = []string{
	"loading", "please wait", "thinking", "working", "processing", "searching", "fetching", "connecting", "downloading",
	"installing", "updating", "generating", "running", "building", "starting", "saving", "sending", "computing", "wait",
}

// SaysBusy returns the Busy of a row of the screen. Words count only if the row has nothing
// else but dots, brackets and a spinner's sign, or if dots follow: a text about loading does
// not mean that the program loads.
func SaysBusy(row string) Busy {
	says := BusyNot
	for word := range strings.FieldsSeq(row) {
		if r, n := utf8.DecodeRuneInString(word); n == len(word) && spinnerSign(r) {
			says = BusySpins
		}
	}
	text := strings.ToLower(strings.Trim(strings.TrimFunc(row, spinnerSign), " ()[]"))
	bare := strings.TrimRight(text, ".… ")
	for _, w := range busyWords {
		if bare == w || len(bare) < len(text) && strings.HasPrefix(bare, w) {
			return BusySays
		}
	}
	return says
}

// spinnerSign reports whether r is a sign of spinners: a braille pattern, or a partly filled
// circle, square or arc.
func spinnerSign(r rune) bool {
	return r > 0x2800 && r <= 0x28ff || strings.ContainsRune("◐◓◑◒◴◷◶◵◰◳◲◱◜◝◞◟◠◡", r)
}
