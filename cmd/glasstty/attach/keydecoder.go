package attach

import (
	"bytes"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/runes"
)

// A keyDecoder converts input from a terminal to keys, and recognises the detach key.
type keyDecoder struct {
	detach     []byte // the bytes of the detach key
	incomplete []byte // the first bytes of a character that the last input ended in; nil for none
}

// keys returns the keys in p before the detach key, and whether p contains the whole detach key. It drops
// the input after the detach key. If p ends in an incomplete character, it keeps those bytes for the next call.
func (t *keyDecoder) keys(p []byte) (keys []live.Key, detach bool) {
	p = append(t.incomplete, p...)
	t.incomplete = nil
	if i := bytes.Index(p, t.detach); i >= 0 {
		p, detach = p[:i], true
	}
	if n := len(p) - runes.CompleteLen(p); n > 0 && !detach {
		t.incomplete = bytes.Clone(p[len(p)-n:])
		p = p[:len(p)-n]
	}
	// The server types Enter for a line feed in a text, but a terminal sends a line feed for ctrl+j.
	for i, piece := range bytes.Split(p, []byte{'\n'}) {
		if i > 0 {
			keys = append(keys, live.Key{Name: "ctrl+j"})
		}
		if len(piece) > 0 {
			keys = append(keys, live.Key{Text: string(bytes.ToValidUTF8(piece, []byte("\uFFFD")))})
		}
	}
	return keys, detach
}
