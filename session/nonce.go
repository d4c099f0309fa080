package session

import (
	"bytes"
	"io"
	"strings"
)

// What leaves the server shows nobody the secret number in a shell's marks: who
// had it could make a program look done that is not.

// blank is what stands in place of a nonce: as long, so that no count changes.
func blank(nonce string) string { return strings.Repeat("0", len(nonce)) }

// rawSinceLocked returns the child's bytes from number from on without the nonce,
// also where from is in the middle of one, and how many of those asked for are
// lost.
func (s *Session) rawSinceLocked(from int64) (p []byte, dropped int64) {
	first := s.raw.first()
	start := max(from, first)
	before := min(start-first, int64(max(len(s.nonce)-1, 0)))
	p, _ = s.raw.since(start - before)
	if s.nonce != "" {
		p = bytes.ReplaceAll(p, []byte(s.nonce), []byte(blank(s.nonce)))
	}
	return p[min(before, int64(len(p))):], max(first-from, 0)
}

// A scrubber writes to w what is written to it, without the nonce.
type scrubber struct {
	w     io.Writer
	nonce string
	held  []byte // may be the beginning of a nonce
}

// Write implements io.Writer.
func (s *scrubber) Write(p []byte) (int, error) {
	out := bytes.ReplaceAll(append(s.held, p...), []byte(s.nonce), []byte(blank(s.nonce)))
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

// flush writes what was held back.
func (s *scrubber) flush() error {
	_, err := s.w.Write(s.held)
	s.held = nil
	return err
}
