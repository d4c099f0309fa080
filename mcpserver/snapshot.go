package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session"
)

const snapshotDoc = `Show the screen, now or at a past time: for full-screen programs (vim, top). For long output use read_output, to wait wait_for.
Never blocks. Returns screen (png: image; json: runs; else content), cursor, revision.`

type snapshotArgs struct {
	SessionID  string  `json:"session_id" need:"true" doc:"id or name"`
	Format     string  `json:"format" enum:"text,ansi,html,svg,png,json" doc:"" default:"text"`
	Scrollback int     `json:"scrollback" min:"-1" doc:"rows above too; -1: all" default:"0"`
	Region     *region `json:"region" doc:"default all"`
	Since      *uint64 `json:"since" doc:"only rows changed after"`
	At         *string `json:"at" doc:"past time, revision, message id"`
	Cursor     bool    `json:"cursor" doc:"mark it with ▏"`
	Reveal     bool    `json:"reveal" doc:"invisibles too"`
}

// A region is a rectangle of the screen's cells.
type region struct {
	Row  int `json:"row" min:"0"`
	Col  int `json:"col" min:"0"`
	Rows int `json:"rows" min:"1"`
	Cols int `json:"cols" min:"1"`
}

type snapshotResult struct {
	SessionID  string        `json:"session_id"`
	Screen     string        `json:"screen,omitempty" doc:"format text"`
	Content    string        `json:"content,omitempty" doc:"formats ansi, html, svg"`
	Runs       []picture.Run `json:"runs,omitempty" doc:"format json: cells of one row with one style"`
	Rows       rowsOrDiff    `json:"rows" doc:"how many; with since the rows that changed, as {row, text}"`
	Cols       int           `json:"cols"`
	Cursor     cursor        `json:"cursor"`
	Title      string        `json:"title,omitempty"`
	Revision   uint64        `json:"revision" doc:"feed it back as since"`
	FullScreen bool          `json:"fullscreen,omitempty"`
	Modes      *modes        `json:"modes,omitempty"`
	Ended      string        `json:"ended,omitempty" doc:"why the server ended the session"`
	Time       float64       `json:"time,omitempty" doc:"with at: of the last event before, Unix seconds"`
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

func handleSnapshot(ctx context.Context, c *call, in *snapshotArgs) (*answer, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	if in.heavy() {
		leave, err := c.srv.turns.pass(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	return in.show(c, s)
}

// show answers with the screen.
func (in *snapshotArgs) show(c *call, s *session.Session) (*answer, error) {
	shot, when, err := in.shoot(s)
	if err != nil {
		return nil, err
	}
	if in.Since != nil && *in.Since > shot.Revision {
		return nil, futureRevision(s.ID(), *in.Since, shot.Revision)
	}
	o := picture.Options{CursorMark: in.Cursor, Reveal: in.Reveal, Fonts: c.srv.fonts}
	if in.Region != nil {
		if o.Region, err = in.Region.within(shot.Size); err != nil {
			return nil, err
		}
	}
	out := newSnapshot(s.ID(), shot)
	if out.Ended = s.Ended(); in.At != nil {
		out.Time, out.Ended = unixSeconds(when), ""
	}
	if in.Since != nil {
		out.Rows.changed, err = changedRows(shot, o, *in.Since)
		return &answer{text: withStatus(shotStatus(out), rowLines(out.Rows.changed)), data: out}, err
	}
	return in.draw(shot, o, out)
}

// heavy reports whether the picture takes more than a moment: it is drawn, or it
// is of the history.
func (in *snapshotArgs) heavy() bool {
	return in.Scrollback != 0 || in.At != nil || in.Format != "" && in.Format != "text"
}

// shoot returns the screen as it is, or as it was.
func (in *snapshotArgs) shoot(s *session.Session) (*emulator.Snapshot, time.Time, error) {
	if in.At == nil {
		return s.Snapshot(in.Scrollback), time.Time{}, nil
	}
	return s.SnapshotAt(*in.At, in.Scrollback)
}

// check refuses arguments that contradict each other.
func (in *snapshotArgs) check() error {
	switch {
	case in.Scrollback != 0 && in.Region != nil:
		return refuse(`give "scrollback" or "region", not both: a region is a part of the screen`)
	case in.Scrollback != 0 && in.Since != nil:
		return refuse(`give "scrollback" or "since", not both: since tells of the screen's rows`)
	case in.Since != nil && in.Format != "" && in.Format != "text":
		return refuse("argument \"since\" works with format text, not %s", in.Format)
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

// draw answers with shot in the asked format.
func (in *snapshotArgs) draw(shot *emulator.Snapshot, o picture.Options, out snapshotResult) (*answer, error) {
	var b bytes.Buffer
	if err := in.writer()(&b, shot, o); err != nil {
		return nil, err
	}
	switch in.Format {
	case "png":
		return &answer{text: shotStatus(out), data: out, image: b.Bytes()}, nil
	case "json":
		runs, err := picture.Runs(shot, o)
		if err != nil {
			return nil, err
		}
		out.Runs = runs
	case "", "text":
		out.Screen = b.String()
	default:
		out.Content = b.String()
	}
	return &answer{text: withStatus(shotStatus(out), session.MarkProgram(b.String(), true)), data: out}, nil
}

// writer returns what draws the asked format.
func (in *snapshotArgs) writer() func(io.Writer, *emulator.Snapshot, picture.Options) error {
	switch in.Format {
	case "ansi":
		return picture.ANSI
	case "html":
		return picture.HTML
	case "svg":
		return picture.SVG
	case "png":
		return picture.PNG
	case "json":
		return picture.JSON
	}
	return picture.Text
}

// changedRows are the rows within o's region that changed after since.
func changedRows(shot *emulator.Snapshot, o picture.Options, since uint64) ([]rowText, error) {
	area := picture.Region{Rows: shot.Size.Rows, Cols: shot.Size.Cols}
	if o.Region != nil {
		area = *o.Region
	}
	rows := []rowText{}
	for i := area.Row; i < area.Row+area.Rows; i++ {
		if shot.Screen[i].Revision <= since {
			continue
		}
		o.Region = &picture.Region{Row: i, Col: area.Col, Rows: 1, Cols: area.Cols}
		var b strings.Builder
		if err := picture.Text(&b, shot, o); err != nil {
			return nil, err
		}
		rows = append(rows, rowText{Row: i, Text: b.String()})
	}
	return rows, nil
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
		parts = append(parts, plural(len(s.Rows.changed), "changed row"))
	}
	at := fmt.Sprintf("cursor %d,%d", s.Cursor.Row, s.Cursor.Col)
	if !s.Cursor.Visible {
		at += " hidden"
	}
	parts = append(parts, at)
	if s.Title != "" {
		parts = append(parts, "title "+quotedShort(s.Title))
	}
	if s.FullScreen {
		parts = append(parts, "fullscreen")
	}
	parts = append(parts, fmt.Sprintf("revision %d", s.Revision))
	if s.Ended != "" {
		parts = append(parts, s.Ended)
	}
	if s.Time > 0 {
		parts = append(parts, "as of "+time.UnixMilli(int64(s.Time*1000)).UTC().Format("2006-01-02 15:04:05.000Z"))
	}
	return bracket(parts)
}

// within returns r for the picture, its missing sides up to the screen's edges.
func (r region) within(size emulator.Size) (*picture.Region, error) {
	if r.Rows == 0 {
		r.Rows = max(size.Rows-r.Row, 1)
	}
	if r.Cols == 0 {
		r.Cols = max(size.Cols-r.Col, 1)
	}
	if r.Row+r.Rows > size.Rows || r.Col+r.Cols > size.Cols {
		return nil, refuse("argument \"region\": %d rows from row %d and %d cols from col %d leave the screen of %d rows and %d cols",
			r.Rows, r.Row, r.Cols, r.Col, size.Rows, size.Cols)
	}
	return &picture.Region{Row: r.Row, Col: r.Col, Rows: r.Rows, Cols: r.Cols}, nil
}
