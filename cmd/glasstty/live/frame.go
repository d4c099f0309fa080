package live

import (
	"encoding/json"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A Frame is what changed on a screen since the revision that a page has.
type Frame struct {
	Type     string      `json:"t"` // "frame"
	ID       string      `json:"id"`
	Revision uint64      `json:"rev"`
	Rows     int         `json:"rows"`
	Cols     int         `json:"cols"`
	Full     bool        `json:"full,omitempty"` // all rows are here; forget others
	Cursor   [4]int      `json:"cur"`            // row, column, visible, shape
	Modes    Modes       `json:"modes,omitzero"`
	Inks     []Ink       `json:"inks,omitempty"`
	Lines    []FrameLine `json:"lines"`
}

// Modes are the modes that matter to who types: what the program has asked for.
type Modes struct {
	Mouse     int  `json:"mouse,omitempty"`    // emulator.MouseTracking
	SGRMouse  bool `json:"sgr,omitempty"`      // its reports are those of mode 1006
	AppCursor bool `json:"cursor,omitempty"`   // DECCKM
	AppKeypad bool `json:"keypad,omitempty"`   // DECKPAM
	Paste     bool `json:"paste,omitempty"`    // bracketed
	Focus     bool `json:"focus,omitempty"`    // wants to know of it
	AltScreen bool `json:"alt,omitempty"`      // the alternate screen
	Reverse   bool `json:"reversed,omitempty"` // DECSCNM
}

// A FrameLine is one row: its number, then its spans.
type FrameLine struct {
	Row   int    `json:"r"`
	Spans []Span `json:"s"`
	Soft  bool   `json:"w,omitempty"` // goes on in the next row

	Images []FrameImage `json:"i,omitempty"`
}

// A Span is text of one look. In JSON it is a list, as there are many.
type Span struct {
	Text  string
	Cols  int
	Ink   int  // index into the frame's inks
	Loose bool // one character that needs a place of its own
}

// MarshalJSON writes a span as [text, columns, ink, 0 or 1].
func (s Span) MarshalJSON() ([]byte, error) {
	loose := 0
	if s.Loose {
		loose = 1
	}
	return json.Marshal([4]any{s.Text, s.Cols, s.Ink, loose})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Span) UnmarshalJSON(data []byte) error {
	var loose int
	if err := json.Unmarshal(data, &[4]any{&s.Text, &s.Cols, &s.Ink, &loose}); err != nil {
		return err
	}
	s.Loose = loose != 0
	return nil
}

// An Ink is a style as the page draws it; colours are "#rrggbb", left out when
// they are the default ones.
type Ink struct {
	FG        string `json:"f,omitempty"`
	BG        string `json:"b,omitempty"`
	Line      string `json:"l,omitempty"`
	Underline int    `json:"u,omitempty"` // emulator.Underline
	Attrs     int    `json:"a,omitempty"` // emulator.Attrs
	Link      string `json:"h,omitempty"`
}

// A frameMaker turns rows into lines whose spans refer to one list of inks.
type frameMaker struct {
	album album
	inks  map[picture.Ink]int
	list  []Ink
}

// newFrameMaker returns a frameMaker with the colours of pictures.
func newFrameMaker(a album) *frameMaker {
	return &frameMaker{album: a, inks: map[picture.Ink]int{}}
}

// line turns a row of cols columns into a line.
func (m *frameMaker) line(n int, row emulator.Row, cols int) FrameLine {
	out := FrameLine{Row: n, Spans: []Span{}, Soft: row.Wrapped, Images: m.album.row(row)}
	for _, s := range picture.Spans(row, cols, picture.Options{}) {
		out.Spans = append(out.Spans, Span{s.Text, s.Cols, m.ink(s.Ink), s.Loose})
	}
	return out
}

// ink returns the index of a look in the list.
func (m *frameMaker) ink(i picture.Ink) int {
	n, ok := m.inks[i]
	if ok {
		return n
	}
	out := Ink{Underline: int(i.Underline), Attrs: int(i.Attrs), Link: i.Link}
	if i.FG != picture.Foreground {
		out.FG = i.FG.String()
	}
	if i.BG != picture.Background {
		out.BG = i.BG.String()
	}
	if i.Underline != emulator.UnderlineNone && i.Line != i.FG {
		out.Line = i.Line.String()
	}
	n = len(m.list)
	m.inks[i] = n
	m.list = append(m.list, out)
	return n
}

// newFrame returns what changed after the revision since, and all of it when the
// size is no longer old.
func newFrame(id string, snap *emulator.Snapshot, since uint64, old emulator.Size) *Frame {
	return newFrameAt(id, "", snap, since, old)
}

// newFrameAt is newFrame for a moment of the session's recording, "" for now.
func newFrameAt(id, at string, snap *emulator.Snapshot, since uint64, old emulator.Size) *Frame {
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
	m := newFrameMaker(album{id, at, snap.Images})
	for i, row := range snap.Screen {
		if f.Full || row.Revision > since {
			f.Lines = append(f.Lines, m.line(i, row, snap.Size.Cols))
		}
	}
	f.Inks = m.list
	return f
}

// modesOf returns the modes that a page is told.
func modesOf(m emulator.Modes) Modes {
	return Modes{
		Mouse: int(m.Mouse), SGRMouse: m.MouseEncoding == emulator.MouseSGR,
		AppCursor: m.AppCursor, AppKeypad: m.AppKeypad,
		Paste: m.BracketedPaste, Focus: m.FocusEvents,
		AltScreen: m.AltScreen, Reverse: m.ReverseVideo,
	}
}
