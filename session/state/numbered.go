package state

// MaxNumbered limits the elements that a Numbered list keeps.
const MaxNumbered = 256

// A Numbered list keeps the latest elements of a sequence. The elements are numbered from 0, including
// those that the list no longer keeps, so that each reader can get each element once.
type Numbered[T any] struct {
	First int64 // the number of the oldest element kept
	Kept  []T
}

// Add appends e.
func (l *Numbered[T]) Add(e T) {
	if len(l.Kept) == MaxNumbered {
		l.Kept = l.Kept[1:]
		l.First++
	}
	l.Kept = append(l.Kept, e)
}

// End returns the number of the next element.
func (l *Numbered[T]) End() int64 { return l.First + int64(len(l.Kept)) }

// Since returns a copy of the elements from number n on, and the number of the next element.
func (l *Numbered[T]) Since(n int64) ([]T, int64) {
	n = min(max(n, l.First), l.End())
	return append([]T(nil), l.Kept[n-l.First:]...), l.End()
}
