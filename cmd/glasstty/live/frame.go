package live

import (
	"encoding/json"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A Frame holds a screen's rows that have changed since the page's last Frame of that screen, or all rows.
type Frame struct {
	Type     string      `json:"t"` // "frame"
	ID       string      `json:"id"`
	Revision uint64      `json:"rev"`
	Rows     int         `json:"rows"`
	Cols     int         `json:"cols"`
	Full     bool        `json:"full,omitempty"` // Lines has all rows of the screen
	Cursor   [4]int      `json:"cur"`            // row, column, 1 if visible, emulator.CursorShape
	Modes    Modes       `json:"modes,omitzero"`
	Inks     []Ink       `json:"inks,omitempty" text:"raw"` // the styles of the spans in Lines
	Lines    []FrameLine `json:"lines" text:"raw"`
}

// Modes are the modes of the terminal that a client needs to encode keys, pastes and the mouse.
type Modes struct {
	Mouse     int  `json:"mouse,omitempty"`  // emulator.MouseTracking
	SGRMouse  bool `json:"sgr,omitempty"`    // mouse reports in the form of mode 1006
	AppCursor bool `json:"cursor,omitempty"` // DECCKM
	AppKeypad bool `json:"keypad,omitempty"` // DECKPAM
	Paste     bool `json:"paste,omitempty"`  // bracketed paste
	Focus     bool `json:"focus,omitempty"`  // focus reports (mode 1004)
}

// A FrameLine is one row of the screen or of the scrollback.
type FrameLine struct {
	Row   int    `json:"r"` // from 0; -1 is the row right above the screen
	Spans []Span `json:"s"`
	Soft  bool   `json:"w,omitempty"` // continues in the next row

	Images []FrameImage `json:"i,omitempty"` // the parts of images that the row shows
}

// A Span is text in one style. In JSON it is a list, which is shorter than an object.
type Span struct {
	Text  string
	Cols  int  // width in columns
	Ink   int  // index into Frame.Inks
	Alone bool // a single character, whose width may differ between fonts and terminals
}

// MarshalJSON writes a span as [text, columns, ink, 0 or 1].
func (s Span) MarshalJSON() ([]byte, error) {
	alone := 0
	if s.Alone {
		alone = 1
	}
	return json.Marshal([4]any{s.Text, s.Cols, s.Ink, alone})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Span) UnmarshalJSON(data []byte) error {
	var alone int
	if err := json.Unmarshal(data, &[4]any{&s.Text, &s.Cols, &s.Ink, &alone}); err != nil {
		return err
	}
	s.Alone = alone != 0
	return nil
}

// An Ink is a style. Its colours are "#rrggbb", or "" for the default; bold, dim and reverse are applied.
type Ink struct {
	FG        string `json:"f,omitempty"`
	BG        string `json:"b,omitempty"`
	Line      string `json:"l,omitempty"` // colour of the underline; "" if it is that of the text
	Underline int    `json:"u,omitempty"` // emulator.Underline
	Attrs     int    `json:"a,omitempty"` // emulator.Attrs
	Link      string `json:"h,omitempty"` // URI of a hyperlink (OSC 8), or ""
}

// A frameMaker converts rows to lines whose spans refer to one list of inks.
type frameMaker struct {
	images imageSet
	inks   map[picture.ResolvedStyle]int // for each style in list, its index
	list   []Ink
}

// newFrameMaker returns a frameMaker with an empty list.
func newFrameMaker(images imageSet) *frameMaker {
	return &frameMaker{images: images, inks: map[picture.ResolvedStyle]int{}}
}

// line converts a row of cols columns to line n.
func (m *frameMaker) line(n int, row emulator.Row, cols int) FrameLine {
	out := FrameLine{Row: n, Spans: []Span{}, Soft: row.Wrapped, Images: m.images.inRow(row)}
	for _, s := range picture.Spans(row, cols) {
		out.Spans = append(out.Spans, Span{s.Text, s.Cols, m.ink(s.Style), s.Alone})
	}
	return out
}

// ink returns the index of a style in m.list. If the list lacks the style, ink appends it.
func (m *frameMaker) ink(s picture.ResolvedStyle) int {
	n, ok := m.inks[s]
	if ok {
		return n
	}
	out := Ink{Underline: int(s.Underline), Attrs: int(s.Attrs), Link: s.Link}
	if s.FG != picture.Foreground {
		out.FG = s.FG.String()
	}
	if s.BG != picture.Background {
		out.BG = s.BG.String()
	}
	if s.Underline != emulator.UnderlineNone && s.Line != s.FG {
		out.Line = s.Line.String()
	}
	n = len(m.list)
	m.inks[s] = n
	m.list = append(m.list, out)
	return n
}

// newFrame returns a Frame with the rows of snap that changed after the revision since. If since is 0 or
// the size differs from old, the Frame has all rows. at is the moment of snap in a recording, or "" for now.
func newFrame(id, at string, snap *emulator.Snapshot, since uint64, old emulator.Size) *Frame {
	f := &Frame{
		Type: "frame", ID: id,
		Revision: snap.Revision,
		Rows:     snap.Size.Rows, Cols: snap.Size.Cols,
		Full:   since == 0 || old != snap.Size,
		Cursor: [4]int{snap.Cursor.Row, snap.Cursor.Col, 0, int(snap.Cursor.Shape)},
		Modes:  modesOf(snap.Modes),
		Lines:  []FrameLine{},
	}
	if snap.Cursor.Visible {
		f.Cursor[2] = 1
	}
	m := newFrameMaker(imageSet{id, at, snap.Images})
	for i, row := range snap.Screen {
		if f.Full || row.Revision > since {
			f.Lines = append(f.Lines, m.line(i, row, snap.Size.Cols))
		}
	}
	f.Inks = m.list
	return f
}

// modesOf returns the modes that are sent to pages.
func modesOf(m emulator.Modes) Modes {
	return Modes{
		Mouse: int(m.Mouse), SGRMouse: m.MouseEncoding == emulator.MouseSGR,
		AppCursor: m.AppCursor, AppKeypad: m.AppKeypad,
		Paste: m.BracketedPaste, Focus: m.FocusEvents,
	}
}
