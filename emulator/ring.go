package emulator

// A ring is a queue that can remove its oldest and its newest entry in constant time.
type ring[T any] struct {
	buf  []T // length 0 or a power of two
	head int // index of the oldest entry in buf
	n    int // number of entries
}

// at returns entry i; entry 0 is the oldest.
func (r *ring[T]) at(i int) *T { return &r.buf[(r.head+i)&(len(r.buf)-1)] }

// push adds v as the newest entry. If buf is full, push doubles its length.
func (r *ring[T]) push(v T) {
	if r.n == len(r.buf) {
		grown := make([]T, max(16, 2*len(r.buf)))
		for i := range r.n {
			grown[i] = *r.at(i)
		}
		r.buf, r.head = grown, 0
	}
	r.n++
	*r.at(r.n - 1) = v
}

// shift removes the oldest entry, which must exist, and returns it.
func (r *ring[T]) shift() T {
	var zero T
	p := r.at(0)
	v := *p
	*p = zero
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.n--
	return v
}

// pop removes the newest entry, which must exist, and returns it.
func (r *ring[T]) pop() T {
	var zero T
	p := r.at(r.n - 1)
	v := *p
	*p = zero
	r.n--
	return v
}
