package conform

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/recording"
)

// Ours is the emulator under test.
type Ours struct{}

// Replay runs j through a new emulator.
func (Ours) Replay(j Job) ([]Screen, error) {
	t := emulator.New(emulator.Options{Size: emulator.Size{Rows: j.Rows, Cols: j.Cols}})
	var out []Screen
	for _, e := range j.Events {
		switch e.Kind {
		case recording.Output:
			t.Write(e.Data)
			t.TakeReplies()
			t.TakeEvents()
		case recording.Resize:
			t.Resize(emulator.Size{Rows: e.Rows, Cols: e.Cols})
		case recording.Checkpoint:
			out = append(out, screenOf(t, e.Label))
		}
	}
	return out, nil
}

// screenOf reads t's screen.
func screenOf(t *emulator.Terminal, label string) Screen {
	s := t.Snapshot(aboveRows)
	out := Screen{
		Label: label, Rows: s.Size.Rows, Cols: s.Size.Cols,
		Cursor: [2]int{s.Cursor.Row, s.Cursor.Col}, Pending: s.Cursor.PendingWrap,
		Visible: s.Cursor.Visible, Alt: s.Modes.AltScreen, Scrollback: t.ScrollbackRows(),
		Above: rowsOf(s.Scrollback), Grid: rowsOf(s.Screen),
	}
	if n := len(out.Grid); n > 0 {
		out.Grid[n-1].Wrap = false // no oracle reports it for the last row
	}
	return out
}

func rowsOf(rows []emulator.Row) []Row {
	out := make([]Row, len(rows))
	for i, r := range rows {
		out[i].Wrap = r.Wrapped
		for _, c := range r.Cells {
			if c.Width == 0 {
				continue
			}
			text := c.Text
			if text == "" {
				text = " "
			}
			out[i].add(styleWords(c.Style), int(c.Width), text)
		}
		out[i].trim()
	}
	return out
}

// styleWords returns s in the form of Run.Style, without links, which no oracle reports.
func styleWords(s emulator.Style) string {
	var w []string
	for _, a := range []struct {
		attr emulator.Attrs
		word string
	}{
		{emulator.Bold, "b"}, {emulator.Dim, "d"}, {emulator.Italic, "i"},
		{emulator.Blink, "k"}, {emulator.Reverse, "r"}, {emulator.Hidden, "h"},
		{emulator.Strike, "s"}, {emulator.Overline, "o"},
	} {
		if s.Attrs&a.attr != 0 {
			w = append(w, a.word)
		}
	}
	if s.Underline != emulator.UnderlineNone {
		w = append(w, "u"+strconv.Itoa(int(s.Underline)))
		w = appendColor(w, "U", s.UnderlineColor)
	}
	w = appendColor(w, "f", s.FG)
	w = appendColor(w, "g", s.BG)
	return strings.Join(w, " ")
}

func appendColor(w []string, letter string, c emulator.Color) []string {
	switch c.Kind() {
	case emulator.ColorIndexed:
		return append(w, letter+strconv.Itoa(int(c.Index())))
	case emulator.ColorRGB:
		r, g, b := c.RGB()
		return append(w, fmt.Sprintf("%s#%02x%02x%02x", letter, r, g, b))
	}
	return w
}
