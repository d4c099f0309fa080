package eventlog

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Decoder decodes the lines of an asciicast v3 file, including our own codes, as events.
// The zero value is ready for the first line. It is not safe for concurrent use.
type Decoder struct {
	at    time.Duration // time of the last line, since the session began
	exact bool          // the previous line gave skip and tail for the next event
	skip  int           // number of bytes at the start of the text that are not part of the event
	tail  []byte        // bytes of the event after the text
	buf   []byte        // holds an event's data
}

// Decode decodes one line, given without its line feed. ok is false for a line that is not an event,
// that only describes the next one, or whose kind this version does not know. bad is true for a line
// that cannot be read. The event's Data is valid until the next call.
func (d *Decoder) Decode(line []byte) (e Event, ok, bad bool) {
	gap, code, text, good := d.split(line)
	if !good {
		d.exact = false
		return e, false, true
	}
	d.at += gap
	if code == kindExact {
		skip, tail, found := bytes.Cut(text, []byte{' '})
		n, err := strconv.Atoi(string(skip))
		var terr error
		d.tail, terr = base64.StdEncoding.AppendDecode(d.tail[:0], tail)
		d.exact, d.skip = err == nil && terr == nil && found && n >= 0, n
		return e, false, !d.exact
	}
	e = Event{Kind: code, At: d.at, Data: text}
	if exact := d.exact; exact {
		d.exact = false
		if d.skip > len(text) {
			return e, false, true
		}
		e.Data = append(text[d.skip:], d.tail...)
	}
	ok, known := e.fill()
	return e, ok, !ok && known
}

// fill sets the fields of an event from its data. It reports whether the data is valid, and
// whether this version knows the event's kind.
func (e *Event) fill() (ok, known bool) {
	var err error
	switch e.Kind {
	case Output, Input, Marker:
	case Resize:
		cols, rows, _ := bytes.Cut(e.Data, []byte{'x'})
		e.Cols, err = strconv.Atoi(string(cols))
		if err == nil {
			e.Rows, err = strconv.Atoi(string(rows))
		}
		return err == nil && e.Cols > 0 && e.Rows > 0, true
	case Exit:
		e.Code, err = strconv.Atoi(string(e.Data))
	case Note:
		name, data, _ := bytes.Cut(e.Data, []byte{' '})
		e.Name, e.Data = string(name), data
	default:
		return false, false
	}
	return err == nil, true
}

// split splits a line into its parts. gap is the time since the previous line. The text is in d.buf.
func (d *Decoder) split(line []byte) (gap time.Duration, k Kind, text []byte, ok bool) {
	at, k, text, ok := d.splitEncoded(line)
	if !ok {
		at, k, text, ok = d.splitJSON(line)
	}
	if !ok || !(at >= 0 && at < maxGap.Seconds()) {
		return 0, 0, nil, false
	}
	return time.Duration(at * float64(time.Second)).Round(time.Microsecond), k, text, true
}

// splitEncoded is split for a line that our encoder has written. at is the time in seconds. A general
// JSON parser would be ten times slower.
func (d *Decoder) splitEncoded(line []byte) (at float64, k Kind, text []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte{'['})
	number, rest, found := bytes.Cut(rest, []byte{','})
	at, err := strconv.ParseFloat(string(number), 64)
	if !ok || !found || err != nil || len(rest) <= 5 ||
		rest[0] != '"' || rest[2] != '"' || rest[3] != ',' || rest[4] != '"' || !bytes.HasSuffix(rest, []byte(`"]`)) {
		return 0, 0, nil, false
	}
	text, ok = d.unescape(rest[5 : len(rest)-2])
	return at, Kind(rest[1]), text, ok
}

// splitJSON is splitEncoded for any JSON array.
func (d *Decoder) splitJSON(line []byte) (at float64, k Kind, text []byte, ok bool) {
	var code, data string
	parts := []any{&at, &code, &data}
	if json.Unmarshal(line, &parts) != nil || len(parts) != 3 || len(code) != 1 {
		return 0, 0, nil, false
	}
	d.buf = append(d.buf[:0], data...)
	return at, Kind(code[0]), d.buf, true
}

// maxGap is greater than any valid time between two events.
const maxGap = 100 * 365 * 24 * time.Hour

// unescape decodes the inside of a JSON string. It returns false for escapes that Go's syntax lacks,
// such as \/, and for escapes of characters outside ASCII. Our encoder writes neither.
func (d *Decoder) unescape(p []byte) ([]byte, bool) {
	b := d.buf[:0]
	for {
		plain, rest, found := bytes.Cut(p, []byte{'\\'})
		b = append(b, plain...)
		if !found {
			d.buf = b
			return b, true
		}
		rest = rest[:min(len(rest), len("u001b"))]
		char, _, after, err := strconv.UnquoteChar(`\`+string(rest), '"')
		if err != nil || char >= utf8.RuneSelf {
			return nil, false
		}
		b = append(b, byte(char))
		p = p[len(plain)+1+len(rest)-len(after):]
	}
}
