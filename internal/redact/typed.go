package redact

// A TypedSecret collects a secret while it is typed. The zero value is empty.
type TypedSecret struct{ text []byte }

// Add adds typed bytes, and calls learn with the secret at Enter. As a terminal does by default
// (termios(3)), it erases a character at backspace and the whole line at Ctrl+U and Ctrl+C.
func (t *TypedSecret) Add(learn func(secret string), data []byte) {
	for _, c := range data {
		switch {
		case c == '\r' || c == '\n':
			learn(string(t.text))
			t.Clear()
		case c == 0x7f || c == '\b':
			for len(t.text) > 0 {
				last := t.text[len(t.text)-1]
				t.text = t.text[:len(t.text)-1]
				if last&0xc0 != 0x80 {
					break
				}
			}
		case c == 0x15 || c == 0x03:
			t.Clear()
		case len(t.text) < maxTyped:
			t.text = append(t.text, c)
		}
	}
}

// maxTyped is the maximum number of bytes that a TypedSecret keeps. It is more than MaxSecret, so that
// Learn ignores a longer secret instead of learning its beginning.
const maxTyped = MaxSecret + 1

// Clear forgets the typed bytes.
func (t *TypedSecret) Clear() {
	clear(t.text)
	t.text = t.text[:0]
}
