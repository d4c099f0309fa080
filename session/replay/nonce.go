package replay

import (
	"bytes"
	"io"

	"github.com/glasstty/glasstty/session/state"
)

// The nonce in a shell's marks never leaves the server: with it, a program could make a
// running command look finished.

// A scrubber copies what is written to it to w, without the nonce.
type scrubber struct {
	w     io.Writer
	nonce string
	held  []byte // the end of the text, which may be the beginning of a nonce
}

// Write implements io.Writer.
func (s *scrubber) Write(p []byte) (int, error) {
	out := bytes.ReplaceAll(append(s.held, p...), []byte(s.nonce), []byte(state.Blank(s.nonce)))
	keep := 0
	for n := min(len(s.nonce)-1, len(out)); n > 0 && keep == 0; n-- {
		if bytes.HasSuffix(out, []byte(s.nonce[:n])) {
			keep = n
		}
	}
	s.held = bytes.Clone(out[len(out)-keep:])
	if _, err := s.w.Write(out[:len(out)-keep]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes the end of the text.
func (s *scrubber) flush() error {
	_, err := s.w.Write(s.held)
	s.held = nil
	return err
}
