package session

// rawLimit is how many of the child's latest bytes are kept for readers who
// want them raw.
const rawLimit = 1 << 20

// A ring keeps the latest limit bytes of a stream and numbers all of them from
// 0. Byte n lies at n modulo limit.
type ring struct {
	limit int
	buf   []byte // grows to limit
	total int64  // bytes ever written
	begin int64  // the bytes before are not kept
}

// write appends p and forgets the oldest bytes beyond the limit.
func (r *ring) write(p []byte) {
	if need := min(r.total+int64(len(p)), int64(r.limit)); int64(len(r.buf)) < need {
		r.buf = append(r.buf, make([]byte, need-int64(len(r.buf)))...)
	}
	r.total += int64(len(p))
	if len(p) > r.limit {
		p = p[len(p)-r.limit:]
	}
	at := int((r.total - int64(len(p))) % int64(r.limit))
	n := copy(r.buf[at:], p)
	copy(r.buf, p[n:])
}

// first returns the number of the oldest byte kept.
func (r *ring) first() int64 { return max(r.begin, r.total-int64(len(r.buf))) }

// since returns a copy of the bytes from number from on, and how many of those
// asked for are lost.
func (r *ring) since(from int64) (p []byte, dropped int64) {
	if first := r.first(); from < first {
		dropped, from = first-from, first
	}
	n := r.total - from
	if n <= 0 {
		return nil, dropped
	}
	p = make([]byte, n)
	k := copy(p, r.buf[from%int64(r.limit):])
	copy(p[k:], r.buf)
	return p, dropped
}

// skip goes on at byte number to; what came before it is not kept.
func (r *ring) skip(to int64) { r.begin, r.total = to, to }

// skipOver is skip over the n bytes that come next, if there are any.
func (r *ring) skipOver(n int64) {
	if n > 0 {
		r.skip(r.total + n)
	}
}
