package text

// An Out is a line of output with its number.
type Out struct {
	Number int64
	Text   string
}
