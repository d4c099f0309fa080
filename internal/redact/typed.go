package redact

// A Typed is what has been typed of a secret up to the Enter that ends it. Its zero
// value is nothing.
type Typed struct{ text []byte }

// Take takes bytes that were typed as a secret, and has learn learn what Enter ends. What
// line mode erases (backspace, ctrl+u, ctrl+c) is not part of it.
func (t *Typed) Take(learn func(secret string), data []byte) {
	for _, c := range data {
		switch {
		case c == '\r' || c == '\n':
			learn(string(t.text))
			t.Drop()
		case c == 0x7f || c == '\b':
			for len(t.text) > 0 {
				last := t.text[len(t.text)-1]
				t.text = t.text[:len(t.text)-1]
				if last&0xc0 != 0x80 {
					break
				}
			}
		case c == 0x15 || c == 0x03:
			t.Drop()
		case len(t.text) < maxTyped:
			t.text = append(t.text, c)
		}
	}
}

// maxTyped bounds what is kept of one secret, in bytes: longer ones are not
// looked for.
const maxTyped = MaxSecret + 1

// Drop forgets what was typed.
func (t *Typed) Drop() {
	clear(t.text)
	t.text = t.text[:0]
}
