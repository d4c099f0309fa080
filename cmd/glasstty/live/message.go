package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// An untrusted value was decoded from the data of another server. check removes unsafe parts of the
// value. It returns an error for a value that no correct server sends.
type untrusted interface{ check() error }

// sanitize makes data of another server safe for a page and a terminal, in place. It applies
// safeText to all texts in v, with limit, or with maxLine in fields with the tag text:"line". It
// replaces nil lists with empty ones, and calls the check method of every struct that has one. It leaves
// a field with the tag text:"raw" to the check method of the field's struct. It ignores arrays, maps
// and interfaces. v must be a pointer or settable.
func sanitize(v reflect.Value, limit int) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(safeText(v.String(), limit))
	case reflect.Pointer:
		if !v.IsNil() {
			return sanitize(v.Elem(), limit)
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0)) // pages expect a list
		}
		for i := range v.Len() {
			if err := sanitize(v.Index(i), limit); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			text, limit := v.Type().Field(i).Tag.Get("text"), limit
			if text == "raw" || !v.Field(i).CanSet() {
				continue
			}
			if text == "line" {
				limit = maxLine
			}
			if err := sanitize(v.Field(i), limit); err != nil {
				return err
			}
		}
		if u, ok := v.Addr().Interface().(untrusted); ok {
			return u.check()
		}
	}
	return nil
}

// A hello is the first message of a connection.
type hello struct {
	Message
	Conn    string  `json:"conn"` // ID of the connection
	Boot    string  `json:"boot"` // identifies this run of the server
	Name    string  `json:"name"` // the person's name
	MayType bool    `json:"type"` // the person may type
	Now     float64 `json:"now"`  // the server's time, in Unix seconds
}

// parse decodes and sanitizes a message of another server. It returns nil for a message of an
// unknown type, which a newer server may send.
func parse(data []byte) (any, error) {
	var head struct {
		Type string `json:"t"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	var m any
	switch head.Type {
	case "hello":
		m = &hello{}
	case "session":
		m = &Facts{}
	case "frame":
		m = &Frame{}
	case "gone", "none", "done", "failed":
		m = &Message{}
	default:
		return nil, nil
	}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, err
	}
	return m, sanitize(reflect.ValueOf(m), maxShown)
}

// sessionID matches session IDs without the name of a node.
var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^s[0-9]{1,18}[b-z]?$`) })

// checkID returns an error unless id has the form of a session ID.
func checkID(id string) error {
	if !sessionID().MatchString(id) {
		return fmt.Errorf("%q is not a session id", safeText(id, maxShown))
	}
	return nil
}

// check implements untrusted.
func (m *Message) check() error {
	if m.ID == "" {
		return nil
	}
	return checkID(m.ID)
}

// check implements untrusted.
func (f *Facts) check() error {
	f.Type = "session"
	return checkID(f.ID)
}

// check implements untrusted.
func (f *Frame) check() error {
	f.Type = "frame"
	if err := checkID(f.ID); err != nil {
		return err
	}
	if f.Rows < 1 || f.Rows > emulator.MaxRows || f.Cols < 1 || f.Cols > emulator.MaxCols {
		return fmt.Errorf("invalid screen size: %d rows and %d columns", f.Rows, f.Cols)
	}
	if c := f.Cursor; c[0] < 0 || c[0] >= f.Rows || c[1] < 0 || c[1] > f.Cols || c[2] < 0 || c[2] > 1 || c[3] < 0 || c[3] > int(emulator.CursorBar) {
		return fmt.Errorf("invalid cursor %v on a screen of %d rows and %d columns", c, f.Rows, f.Cols)
	}
	switch emulator.MouseTracking(f.Modes.Mouse) {
	case emulator.MouseOff, emulator.MouseX10, emulator.MouseNormal, emulator.MouseButton, emulator.MouseAny:
	default:
		return fmt.Errorf("invalid mouse mode %d", f.Modes.Mouse)
	}
	for _, l := range f.Lines {
		if l.Row < 0 || l.Row >= f.Rows {
			return fmt.Errorf("invalid row %d on a screen of %d rows", l.Row, f.Rows)
		}
	}
	return checkLines(f.Lines, f.Inks, f.Cols)
}

// colour matches the colours of an Ink.
var colour = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:#[0-9a-f]{6})?$`) })

// checkLines checks that lines have at most cols columns, and checks their inks. It removes unsafe links.
func checkLines(lines []FrameLine, inks []Ink, cols int) error {
	for i := range inks {
		k := &inks[i]
		for _, c := range []string{k.FG, k.BG, k.Line} {
			if !colour().MatchString(c) {
				return fmt.Errorf("invalid colour %q", safeText(c, maxShown))
			}
		}
		if k.Underline < 0 || k.Underline > int(emulator.UnderlineDashed) {
			return fmt.Errorf("invalid underline %d", k.Underline)
		}
		k.Link = picture.SafeLink(k.Link)
	}
	for i := range lines {
		l := &lines[i]
		width := 0
		for j := range l.Spans {
			s := &l.Spans[j]
			if s.Ink < 0 || s.Ink >= len(inks) {
				return fmt.Errorf("invalid ink %d of %d", s.Ink, len(inks))
			}
			if err := s.check(); err != nil {
				return err
			}
			if width += s.Cols; width > cols {
				return fmt.Errorf("a row has more than %d columns", cols)
			}
		}
		for j := range l.Images {
			if err := l.Images[j].check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxWidth is the maximum width of a character, in columns.
const maxWidth = 2

// check implements untrusted. A span with Alone may take at most maxWidth columns. In other spans every
// character must take one column: in a terminal, a wider text could run into the next row.
func (s *Span) check() error {
	s.Text = strings.Map(cellRune, strings.ToValidUTF8(s.Text, "\uFFFD"))
	switch {
	case s.Cols < 1:
		return fmt.Errorf("a span has %d columns", s.Cols)
	case !s.Alone && utf8.RuneCountInString(s.Text) != s.Cols:
		return fmt.Errorf("a span has %d characters in %d columns", utf8.RuneCountInString(s.Text), s.Cols)
	case !s.Alone && strings.ContainsFunc(s.Text, wide):
		return errors.New("a wide character is in a span of several characters")
	case s.Alone && (s.Cols > maxWidth || ansi.StringWidth(s.Text) > maxWidth):
		return errors.New("a character has more than two columns")
	}
	return nil
}

// wide reports whether a character takes more than one column.
func wide(r rune) bool { return r >= utf8.RuneSelf && ansi.StringWidth(string(r)) > 1 }

// cellRune is a function for strings.Map. It replaces control characters and line and paragraph
// separators with U+FFFD, and drops characters that reorder the text around them (Unicode UAX #9,
// explicit formatting).
func cellRune(r rune) rune {
	switch {
	case unicode.IsControl(r), r == 0x2028, r == 0x2029:
		return '\uFFFD'
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return -1
	}
	return r
}

// maxImageCells limits each position and size of an image, in cells.
const maxImageCells = 1 << 16

// check implements untrusted.
func (i *FrameImage) check() error {
	for _, n := range []int{i.Col, i.Cols, i.TileRow, i.TileCol, i.OfRows, i.OfCols} {
		if n < 0 || n > maxImageCells {
			return fmt.Errorf("an image has %d rows or columns", n)
		}
	}
	u, err := url.Parse(i.Source)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path != "image" || u.Fragment != "" {
		return fmt.Errorf("invalid image URL %q", safeText(i.Source, maxShown))
	}
	i.Source = "image?" + firstValues(u.Query(), "id", "n", "v", "t").Encode()
	return nil
}

// firstValues returns the first value of each of the names that q has.
func firstValues(q url.Values, names ...string) url.Values {
	out := url.Values{}
	for _, name := range names {
		if q.Has(name) {
			out.Set(name, q.Get(name))
		}
	}
	return out
}
