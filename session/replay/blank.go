package replay

import "bytes"

// The beginning of a mark (OSC 133), and the text before its nonce; see package shellmarks.
const (
	markBegin = "\x1b]133;"
	markNonce = ";nonce="
)

// A blanker replaces the nonces in shell marks with zeros, so that the length of the output does
// not change. The output may be split anywhere.
type blanker struct {
	begun int // number of bytes of markBegin that were read; its length inside a mark
	named int // number of bytes of markNonce that were read inside a mark
}

// blank returns p, the next piece of output, with nonces replaced.
func (b *blanker) blank(p []byte) []byte {
	out := bytes.Clone(p)
	for i, c := range p {
		inMark := b.begun == len(markBegin)
		switch {
		case c == markBegin[0]: // also the end of a mark
			*b = blanker{begun: 1}
		case !inMark && c == markBegin[b.begun]:
			b.begun++
		case !inMark || c == '\a':
			*b = blanker{}
		case b.named == len(markNonce) && bytes.IndexByte([]byte("0123456789abcdef"), c) >= 0:
			out[i] = '0'
		case b.named < len(markNonce) && c == markNonce[b.named]:
			b.named++
		case c == markNonce[0]:
			b.named = 1
		default:
			b.named = 0
		}
	}
	return out
}
