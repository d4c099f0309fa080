package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

const snapshotDoc = `Show the screen as it is now: for full-screen programs (vim, top) and in doubt. For long output use read_output, to await a change wait_for.
Never blocks, changes nothing. Returns screen, rows, cols, cursor, title, revision, fullscreen, modes; with since only changed rows.`

type snapshotArgs struct {
	SessionID  string  `json:"session_id" need:"true" doc:"id or name"`
	Format     string  `json:"format" enum:"text,ansi" doc:"default text"`
	Scrollback int     `json:"scrollback" min:"-1" doc:"rows above the screen; default 0, -1 all"`
	Region     *region `json:"region" doc:"default all"`
	Since      *uint64 `json:"since" min:"0" doc:"only rows changed since"`
	Cursor     bool    `json:"cursor" doc:"mark it with ▏"`
	Reveal     bool    `json:"reveal" doc:"show invisible characters"`
}

// A region is a rectangle of cells.
type region struct {
	Row  int `json:"row" min:"0"`
	Col  int `json:"col" min:"0"`
	Rows int `json:"rows" min:"1"`
	Cols int `json:"cols" min:"1"`
}

type snapshotResult struct {
	SessionID  string     `json:"session_id"`
	Screen     string     `json:"screen,omitempty" doc:"format text"`
	Content    string     `json:"content,omitempty" doc:"other text formats"`
	Rows       rowsOrDiff `json:"rows" doc:"how many; with since the rows that changed, as {row, text}"`
	Cols       int        `json:"cols"`
	Cursor     cursor     `json:"cursor"`
	Title      string     `json:"title,omitempty"`
	Revision   uint64     `json:"revision" doc:"feed it back as since"`
	FullScreen bool       `json:"fullscreen,omitempty"`
	Modes      *modes     `json:"modes,omitempty"`
}

// rowsOrDiff is the result's field rows: the screen's height, or with since the
// rows that changed.
type rowsOrDiff struct {
	count   int
	changed []rowText // nil without since
}

func (rowsOrDiff) schema() schemaNode {
	row := outputSchema(reflect.TypeFor[rowText]())
	return schemaNode{AnyOf: []schemaNode{{Type: "integer"}, {Type: "array", Items: &row}}}
}

// MarshalJSON writes a number or a list.
func (r rowsOrDiff) MarshalJSON() ([]byte, error) {
	if r.changed != nil {
		return json.Marshal(r.changed)
	}
	return json.Marshal(r.count)
}

func snapshot() tool {
	return newTool[snapshotArgs, snapshotResult]("snapshot", snapshotDoc, hints{readOnly: true}, handleSnapshot)
}

func handleSnapshot(_ context.Context, c *call, in *snapshotArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	full := s.Snapshot(in.Scrollback)
	if in.Since != nil && *in.Since > full.Revision {
		return nil, futureRevision(s.ID(), *in.Since, full.Revision)
	}
	area, err := in.Region.area(full.Size)
	if err != nil {
		return nil, err
	}
	shot := in.prepared(full, area)
	out := newSnapshot(s.ID(), full)
	if in.Since != nil {
		out.Rows.changed = changedRows(shot, area.Row, *in.Since)
		return &answer{text: withStatus(shotStatus(out), rowLines(out.Rows.changed)), data: out}, nil
	}
	body := in.render(shot, &out)
	return &answer{text: withStatus(shotStatus(out), body), data: out}, nil
}

// prepared returns the cells that the call asks for, as it wants to see them.
func (in *snapshotArgs) prepared(shot *emulator.Snapshot, area region) *emulator.Snapshot {
	shot = crop(shot, area)
	if in.Reveal {
		shot = revealed(shot)
	}
	if in.Cursor {
		shot = withCursor(shot)
	}
	return shot
}

// render writes shot in the asked format into out and returns it as text.
func (in *snapshotArgs) render(shot *emulator.Snapshot, out *snapshotResult) string {
	if in.Format == "ansi" {
		var b strings.Builder
		// Nothing fails: the whole of shot is drawn, into memory.
		_ = picture.ANSI(&b, shot, picture.Options{})
		out.Content = b.String()
		return out.Content
	}
	out.Screen = allText(shot)
	return out.Screen
}

// check refuses arguments that contradict each other.
func (in *snapshotArgs) check() error {
	if in.Scrollback != 0 && in.Region != nil {
		return errors.New(`give "scrollback" or "region", not both: a region is a part of the screen`)
	}
	if in.Since != nil && in.Format != "" && in.Format != "text" {
		return fmt.Errorf("argument \"since\" works with format text, not %s", in.Format)
	}
	if in.Scrollback != 0 && in.Since != nil {
		return errors.New(`give "scrollback" or "since", not both: since tells of the screen's rows`)
	}
	return nil
}

func newSnapshot(id string, shot *emulator.Snapshot) snapshotResult {
	return snapshotResult{
		SessionID:  id,
		Rows:       rowsOrDiff{count: shot.Size.Rows},
		Cols:       shot.Size.Cols,
		Cursor:     newCursor(shot.Cursor),
		Title:      valid(shot.Title),
		Revision:   shot.Revision,
		FullScreen: shot.FullScreen,
		Modes:      newModes(shot.Modes),
	}
}

// changedRows are the rows of shot that changed after since; the first of them
// is row number from of the screen.
func changedRows(shot *emulator.Snapshot, from int, since uint64) []rowText {
	rows := []rowText{}
	for i, row := range shot.Screen {
		if row.Revision > since {
			rows = append(rows, rowText{Row: from + i, Text: row.Text()})
		}
	}
	return rows
}

// rowLines renders changed rows with their numbers.
func rowLines(rows []rowText) string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = fmt.Sprintf("%d: %s", r.Row, r.Text)
	}
	return strings.Join(lines, "\n")
}

func shotStatus(s snapshotResult) string {
	parts := []string{s.SessionID, fmt.Sprintf("%d×%d", s.Rows.count, s.Cols)}
	if s.Rows.changed != nil {
		parts = append(parts, fmt.Sprintf("%d rows changed", len(s.Rows.changed)))
	}
	at := fmt.Sprintf("cursor %d,%d", s.Cursor.Row, s.Cursor.Col)
	if !s.Cursor.Visible {
		at += " hidden"
	}
	parts = append(parts, at)
	if s.Title != "" {
		parts = append(parts, "title "+quoted(s.Title))
	}
	if s.FullScreen {
		parts = append(parts, "fullscreen")
	}
	return bracket(append(parts, fmt.Sprintf("revision %d", s.Revision)))
}

// area returns the cells that r asks for; all when r is nil.
func (r *region) area(size emulator.Size) (region, error) {
	if r == nil {
		return region{Rows: size.Rows, Cols: size.Cols}, nil
	}
	a := *r
	if a.Rows == 0 {
		a.Rows = max(size.Rows-a.Row, 1)
	}
	if a.Cols == 0 {
		a.Cols = max(size.Cols-a.Col, 1)
	}
	if a.Row+a.Rows > size.Rows || a.Col+a.Cols > size.Cols {
		return a, fmt.Errorf("region of %d rows from row %d and %d cols from col %d leaves the screen of %d rows and %d cols",
			a.Rows, a.Row, a.Cols, a.Col, size.Rows, size.Cols)
	}
	return a, nil
}
