package detect

import (
	"strings"
	"unicode/utf8"
)

// Busy is what new text on the screen says of whether the program works.
type Busy int

// What a text can say about its program.
const (
	BusyNot   Busy = iota
	BusySpins      // it has a sign that spinners are made of
	BusySays       // it says so in words
)

// busyWords are the words with which programs say that they work.
var busyWords = []string{
	"loading", "please wait", "thinking", "working", "processing", "searching", "fetching", "connecting", "downloading",
	"installing", "updating", "generating", "running", "building", "starting", "saving", "sending", "computing", "wait",
}

// SaysBusy returns what a row of the screen says. Words count only where nothing but
// dots, brackets and a spinner's sign stand around them, or where dots follow: a text
// about loading does not say that the program loads.
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

// spinnerSign reports whether spinners are made of r: braille patterns, and circles,
// squares and arcs of which a part is filled.
func spinnerSign(r rune) bool {
	return r > 0x2800 && r <= 0x28ff || strings.ContainsRune("◐◓◑◒◴◷◶◵◰◳◲◱◜◝◞◟◠◡", r)
}
