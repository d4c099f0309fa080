package live

import (
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A frame is what changed on a screen since the revision that a page has.
type frame struct {
	Type     string      `json:"t"` // "frame"
	ID       string      `json:"id"`
	Revision uint64      `json:"rev"`
	Rows     int         `json:"rows"`
	Cols     int         `json:"cols"`
	Full     bool        `json:"full,omitempty"` // all rows are here; forget others
	Cursor   [4]int      `json:"cur"`            // row, column, visible, shape
	Mouse    int         `json:"mouse,omitempty"`
	Styles   []ink       `json:"inks,omitempty"`
	Lines    []frameLine `json:"lines"`
}

// A frameLine is one row: its number, then its spans.
type frameLine struct {
	Row   int    `json:"r"`
	Spans []span `json:"s"`
	Soft  bool   `json:"w,omitempty"` // goes on in the next row
}

// A span is text, columns taken, index into the frame's inks, and 1 when it is
// one character that needs a place of its own.
type span [4]any

// An ink is a style as the page draws it; colours are "#rrggbb", left out when
// they are the theme's.
type ink struct {
	FG        string `json:"f,omitempty"`
	BG        string `json:"b,omitempty"`
	Line      string `json:"l,omitempty"`
	Underline int    `json:"u,omitempty"` // 1 single, 2 double, 3 curly, 4 dotted, 5 dashed
	Attrs     int    `json:"a,omitempty"` // emulator.Attrs
	Link      string `json:"h,omitempty"`
}

// A frameMaker turns rows into lines whose spans refer to one list of inks.
type frameMaker struct {
	theme picture.Theme
	inks  map[picture.Ink]int
	list  []ink
}

// newFrameMaker returns a frameMaker for the dark theme, which pictures have.
func newFrameMaker() *frameMaker {
	return &frameMaker{theme: picture.DarkTheme(), inks: map[picture.Ink]int{}}
}

// line turns a row of cols columns into a line.
func (m *frameMaker) line(n int, row emulator.Row, cols int) frameLine {
	out := frameLine{Row: n, Spans: []span{}, Soft: row.Wrapped}
	for _, s := range picture.Spans(row, cols, picture.Options{Theme: m.theme}) {
		loose := 0
		if s.Loose {
			loose = 1
		}
		out.Spans = append(out.Spans, span{s.Text, s.Cols, m.ink(s.Ink), loose})
	}
	return out
}

// ink returns the index of a look in the list.
func (m *frameMaker) ink(i picture.Ink) int {
	n, ok := m.inks[i]
	if ok {
		return n
	}
	out := ink{Underline: int(i.Underline), Attrs: int(i.Attrs), Link: i.Link}
	if i.FG != m.theme.FG {
		out.FG = i.FG.String()
	}
	if i.BG != m.theme.BG {
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
func newFrame(id string, snap *emulator.Snapshot, since uint64, old emulator.Size) *frame {
	f := &frame{
		Type: "frame", ID: id,
		Revision: snap.Revision,
		Rows:     snap.Size.Rows, Cols: snap.Size.Cols,
		Full:   since == 0 || old != snap.Size,
		Cursor: [4]int{snap.Cursor.Row, snap.Cursor.Col, 0, int(snap.Cursor.Shape)},
		Mouse:  int(snap.Modes.Mouse),
		Lines:  []frameLine{},
	}
	if snap.Cursor.Visible {
		f.Cursor[2] = 1
	}
	m := newFrameMaker()
	for i, row := range snap.Screen {
		if f.Full || row.Revision > since {
			f.Lines = append(f.Lines, m.line(i, row, snap.Size.Cols))
		}
	}
	f.Styles = m.list
	return f
}
