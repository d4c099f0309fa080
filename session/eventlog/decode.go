package eventlog

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Decoder reads the lines of an asciicast v3 file, with our own codes, as events. The zero
// value is ready for the first line. It is not safe for concurrent use.
type Decoder struct {
	at    time.Duration
	exact bool   // the line before had exact bytes: its skip and tail follow
	skip  int    // so many bytes of the text do not belong to the event
	tail  []byte // these bytes follow the text
	buf   []byte // holds an event's data
}

// Event reads one line without its end. ok is false for a line that is not an event, or
// only describes the event that follows; bad is true for a line that cannot be read. Data
// are valid until the next call.
func (d *Decoder) Event(line []byte) (e Event, ok, bad bool) {
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
	ok = e.fill()
	return e, ok, !ok && e.Kind.known()
}

// known reports whether this version knows the kind.
func (k Kind) known() bool {
	switch k {
	case Output, Input, Resize, Marker, Exit, Note:
		return true
	}
	return false
}

// fill reads the fields of an event from its data, and reports whether they are valid.
func (e *Event) fill() bool {
	var err error
	switch e.Kind {
	case Output, Input, Marker:
	case Resize:
		cols, rows, _ := bytes.Cut(e.Data, []byte{'x'})
		e.Cols, err = strconv.Atoi(string(cols))
		if err == nil {
			e.Rows, err = strconv.Atoi(string(rows))
		}
		return err == nil && e.Cols > 0 && e.Rows > 0
	case Exit:
		e.Code, err = strconv.Atoi(string(e.Data))
	case Note:
		name, data, _ := bytes.Cut(e.Data, []byte{' '})
		e.Name, e.Data = string(name), data
	default:
		return false
	}
	return err == nil
}

// split splits a line into its parts. The text is in the decoder's buffer.
func (d *Decoder) split(line []byte) (gap time.Duration, k Kind, text []byte, ok bool) {
	// A line in the form of our encoder needs no general JSON parser, which would be ten
	// times slower.
	rest, ok := bytes.CutPrefix(line, []byte{'['})
	num, rest, found := bytes.Cut(rest, []byte{','})
	if gap, ok2 := micros(num); ok && ok2 && found && len(rest) > 5 &&
		rest[0] == '"' && rest[2] == '"' && rest[3] == ',' && rest[4] == '"' && bytes.HasSuffix(rest, []byte(`"]`)) {
		if text, ok := d.unescape(rest[5 : len(rest)-2]); ok {
			return gap, Kind(rest[1]), text, true
		}
	}
	return d.splitJSON(line)
}

// splitJSON is split for any JSON.
func (d *Decoder) splitJSON(line []byte) (gap time.Duration, k Kind, text []byte, ok bool) {
	var at float64
	var code, data string
	parts := []any{&at, &code, &data}
	if json.Unmarshal(line, &parts) != nil || len(parts) != 3 || len(code) != 1 || !(at >= 0 && at < maxGap.Seconds()) {
		return 0, 0, nil, false
	}
	d.buf = append(d.buf[:0], data...)
	return time.Duration(at * float64(time.Second)).Round(time.Microsecond), Kind(code[0]), d.buf, true
}

// maxGap is the longest valid time between two events.
const maxGap = 100 * 365 * 24 * time.Hour

// micros reads a decimal number of seconds with at most six digits after the
// point.
func micros(p []byte) (time.Duration, bool) {
	if len(p) == 0 || len(p) > 16 {
		return 0, false
	}
	var n, unit int64 = 0, 1e6
	point := false
	for _, c := range p {
		switch {
		case c == '.' && !point:
			point = true
		case c < '0' || c > '9' || unit == 1 && point:
			return 0, false
		default:
			n = n*10 + int64(c-'0')
			if point {
				unit /= 10
			}
		}
	}
	if n >= 1<<43 || n*unit >= int64(maxGap/time.Microsecond) {
		return 0, false
	}
	return time.Duration(n*unit) * time.Microsecond, true
}

// unescape decodes the inside of a JSON string. It is not ok if it has other escapes than
// our encoder writes.
func (d *Decoder) unescape(p []byte) ([]byte, bool) {
	b := d.buf[:0]
	for {
		i := bytes.IndexByte(p, '\\')
		if i < 0 {
			break
		}
		if len(p) < i+2 {
			return nil, false
		}
		b = append(b, p[:i]...)
		n := 2
		switch p[i+1] {
		case '"', '\\':
			b = append(b, p[i+1])
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			if n = 6; len(p) < i+n {
				return nil, false
			}
			v, err := strconv.ParseUint(string(p[i+2:i+6]), 16, 8)
			if err != nil || v >= utf8.RuneSelf {
				return nil, false
			}
			b = append(b, byte(v))
		default:
			return nil, false
		}
		p = p[i+n:]
	}
	b = append(b, p...)
	d.buf = b
	return b, true
}
