package replay

import (
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// Play plays the recording to its end and returns the terminal.
func (t *Recording) Play() (*emulator.Terminal, error) {
	term := t.Start()
	for e, err := range t.Events {
		if err != nil {
			return nil, err
		}
		Apply(term, &e, false)
	}
	return term, nil
}

// Text returns all lines of a terminal, with soft-wrapped rows joined, followed by the
// alternate screen if it is shown.
func Text(term *emulator.Terminal) string {
	var b strings.Builder
	for _, l := range term.Lines(term.FirstLine(), term.EndLine()) {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	if term.AltScreen() {
		b.WriteString(term.Snapshot(0).Text())
		b.WriteByte('\n')
	}
	return b.String()
}
