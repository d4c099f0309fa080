package state

import (
	"bytes"
	"strings"
)

// RawSince returns the kept output from byte number from on. The nonce of the shell's marks is
// blanked out, even if from is in the middle of a nonce.
func (s *State) RawSince(from int64) []byte {
	first := s.Raw.First()
	start := max(from, first)
	before := min(start-first, int64(max(len(s.Nonce)-1, 0)))
	p := s.Raw.Since(start - before)
	if s.Nonce != "" {
		p = bytes.ReplaceAll(p, []byte(s.Nonce), []byte(Blank(s.Nonce)))
	}
	return p[min(before, int64(len(p))):]
}

// RawLimit is the number of latest bytes of output that are kept for readers of raw output.
const RawLimit = 1 << 20

// A Ring keeps the latest Limit bytes of a stream. The stream's bytes are numbered from 0. Byte n is
// at index n modulo Limit of Buf.
type Ring struct {
	Limit int
	Buf   []byte // grows to Limit
	Total int64  // bytes ever written
	begin int64  // bytes before this number are not kept
}

// Write appends p to the stream. It forgets the oldest bytes beyond Limit.
func (r *Ring) Write(p []byte) {
	if need := min(r.Total+int64(len(p)), int64(r.Limit)); int64(len(r.Buf)) < need {
		r.Buf = append(r.Buf, make([]byte, need-int64(len(r.Buf)))...)
	}
	r.Total += int64(len(p))
	if len(p) > r.Limit {
		p = p[len(p)-r.Limit:]
	}
	at := int((r.Total - int64(len(p))) % int64(r.Limit))
	n := copy(r.Buf[at:], p)
	copy(r.Buf, p[n:])
}

// First returns the number of the oldest byte kept.
func (r *Ring) First() int64 { return max(r.begin, r.Total-int64(len(r.Buf))) }

// Since returns a copy of the kept bytes from byte number from on, or nil if there are none.
func (r *Ring) Since(from int64) []byte {
	from = max(from, r.First())
	n := r.Total - from
	if n <= 0 {
		return nil
	}
	p := make([]byte, n)
	k := copy(p, r.Buf[from%int64(r.Limit):])
	copy(p[k:], r.Buf)
	return p
}

// Skip counts n bytes that are missing, and forgets all bytes before. If n <= 0, it does nothing.
func (r *Ring) Skip(n int64) {
	if n > 0 {
		r.Total += n
		r.begin = r.Total
	}
}

// Blank returns the text that replaces a nonce. It is as long as the nonce, so that no offset changes.
func Blank(nonce string) string { return strings.Repeat("0", len(nonce)) }
