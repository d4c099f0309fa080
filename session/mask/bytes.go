package mask

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/glasstty/glasstty/internal/redact"
)

// Bytes returns output p without its first context bytes, which it only searches. An asterisk replaces each
// byte that shows a part of a secret, so offsets stay valid. open says that p may continue. If so, what may
// be the beginning of a secret at the end of p is hidden too, and begun is the number of bytes at the end
// of out that it takes: a caller that can wait for the rest of the secret leaves them out.
func (m *Mask) Bytes(p []byte, context int, open bool) (out []byte, begun int) {
	if m == nil {
		return p[context:], 0
	}
	out = bytes.Clone(p)
	v := readVisible(p, false)
	for _, s := range v.payloads {
		m.hidePayload(out[s.From:s.To])
	}
	m.hideVisible(out, v)
	m.hideVisible(out, readVisible(p, true))
	if open {
		if at := m.openSecret(string(v.text)); at < len(v.text) {
			begun = len(p) - v.outputAt(at)
			for i, o := range v.index {
				if int(o) >= at && p[i] != ' ' {
					out[i] = '*'
				}
			}
		}
	}
	return out[context:], min(begun, len(p)-context)
}

// openSecret returns the index in text where a secret may begin that continues after text, or
// len(text) if there is none. If text ends in a blank, openSecret also tries without the blank,
// which readline may have written at the margin before a carriage return (see carriageReturn).
func (m *Mask) openSecret(text string) int {
	if at := m.secrets.IncompleteFrom(text); at < len(text) {
		return at
	}
	if before, ok := strings.CutSuffix(text, " "); ok {
		if at := m.secrets.IncompleteFrom(before); at < len(before) {
			return at
		}
	}
	return len(text)
}

// hideVisible hides the bytes of out that show a secret. v is the text of out.
func (m *Mask) hideVisible(out []byte, v *visibleText) {
	hidden := make([]bool, len(v.index)+1)
	for _, s := range m.secrets.Spans(string(v.text)) {
		for i := s.From; i < s.To; i++ {
			hidden[i] = v.text[i] != '\n'
		}
	}
	for i, at := range v.index {
		if at >= 0 && hidden[at] {
			out[i] = '*'
		}
	}
}

// hidePayload hides secrets in the text of a control string, such as a title or a link. If
// clipboard data (OSC 52, base64) contains a secret, all of the data is hidden.
func (m *Mask) hidePayload(p []byte) {
	spans := m.secrets.Spans(string(p))
	if rest, ok := bytes.CutPrefix(p, []byte("52;")); ok {
		if _, data, ok := bytes.Cut(rest, []byte(";")); ok {
			text, _ := base64.StdEncoding.DecodeString(string(data)) // the part that can be decoded
			if len(m.secrets.Spans(string(text))) > 0 {
				spans = append(spans, redact.Span{From: len(p) - len(data), To: len(p)})
			}
		}
	}
	for _, s := range spans {
		for i := s.From; i < s.To; i++ {
			p[i] = '*'
		}
	}
}

// A visibleText is the text of a program's output as a person would read it.
type visibleText struct {
	text     []byte
	index    []int32       // for each byte of the output, the index of its byte in text, or -1 if it shows nothing
	payloads []redact.Span // contents of the control strings in the output
	breaks   bool          // the argument of readVisible
}

// outputAt returns the index in the output after the last byte that shows text before the index at
// in the text.
func (v *visibleText) outputAt(at int) int {
	for i := len(v.index) - 1; i >= 0; i-- {
		if o := int(v.index[i]); o >= 0 && o < at {
			return i + 1
		}
	}
	return 0
}

// readVisible returns the text that p shows. Control sequences show nothing. A backspace removes
// the character before it, because the next character overwrites that character. Some sequences
// move the cursor up, down or to a position. If breaks is true, such a sequence ends the line.
// Otherwise the text continues, as in a program that wraps lines itself.
func readVisible(p []byte, breaks bool) *visibleText {
	v := &visibleText{index: make([]int32, len(p)), breaks: breaks}
	for i := range v.index {
		v.index[i] = -1
	}
	for i := 0; i < len(p); {
		switch c := p[i]; {
		case c == 0x1b:
			i = v.escape(p, i)
			continue
		case c == '\n':
			v.add(i, '\n')
		case c == '\r':
			v.carriageReturn(p, i)
		case c == '\b':
			v.backspace()
		case c >= ' ' && c != 0x7f || c == '\t':
			v.add(i, c)
		}
		i++
	}
	return v
}

// add appends c, which byte i of the output shows.
func (v *visibleText) add(i int, c byte) {
	v.index[i] = int32(len(v.text))
	v.text = append(v.text, c)
}

// carriageReturn begins a new line, with two exceptions. It ignores a return before a line feed or another
// return. If a blank comes before the return, it removes the blank and continues the line: readline writes
// both at the margin, to make the terminal wrap and to return to the start of the new row.
func (v *visibleText) carriageReturn(p []byte, i int) {
	switch {
	case i+1 < len(p) && p[i+1] == '\n', i+1 < len(p) && p[i+1] == '\r':
	case i > 0 && p[i-1] == ' ' && len(v.text) > 0 && v.text[len(v.text)-1] == ' ':
		v.text = v.text[:len(v.text)-1]
	default:
		v.text = append(v.text, '\n')
	}
}

// backspace removes the last character, unless that is a line feed or there is none.
func (v *visibleText) backspace() {
	n := len(v.text)
	for n > 0 && v.text[n-1]&0xc0 == 0x80 {
		n--
	}
	if n > 0 && v.text[n-1] != '\n' {
		v.text = v.text[:n-1]
	}
}

// escape returns the end of the escape sequence, control sequence or control string that begins at i (ECMA-48 5.4,
// 5.6). It records the content of a string. If v.breaks is true, some cursor movements end the line.
func (v *visibleText) escape(p []byte, i int) int {
	if i++; i == len(p) {
		return i
	}
	switch p[i] {
	case '[':
		for i++; i < len(p) && (p[i] < 0x40 || p[i] > 0x7e) && p[i] != 0x1b; i++ {
		}
		if i < len(p) && p[i] == 0x1b {
			return i // it is incomplete
		}
		if v.breaks && i < len(p) && strings.IndexByte("ABEFGHdf`", p[i]) >= 0 {
			v.text = append(v.text, '\n') // CUU, CUD, CNL, CPL, CHA, CUP, VPA, HVP or HPA
		}
		return min(i+1, len(p))
	case ']', 'P', 'X', '^', '_', 'k':
		from := i + 1
		for i++; i < len(p) && p[i] != 0x07 && p[i] != 0x1b; i++ {
		}
		v.payloads = append(v.payloads, redact.Span{From: min(from, len(p)), To: i})
		if i < len(p) && p[i] == 0x1b && i+1 < len(p) && p[i+1] == '\\' {
			i++
		} else if i < len(p) && p[i] == 0x1b {
			return i
		}
		return min(i+1, len(p))
	}
	for i < len(p) && p[i] >= 0x20 && p[i] <= 0x2f {
		i++
	}
	return min(i+1, len(p))
}
