package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/text"
)

const snapshotDoc = `Show the screen as it is now or was at a past time. Use it for full-screen programs such as vim, and read_output for long output.
It never waits and changes nothing. It returns screen (png: an image, json: runs, other formats: content), cursor and revision.`

type snapshotArgs struct {
	oneSession
	Format     string  `json:"format" enum:"text,ansi,html,svg,png,json" doc:"" default:"text"`
	Scrollback int     `json:"scrollback" min:"-1" doc:"rows above the screen; -1: all"`
	Region     *region `json:"region" doc:"\"row:rows\", \"row,col,rows,cols\" or an object of these"`
	Since      *uint64 `json:"since" doc:"only rows changed after this revision"`
	At         *string `json:"at" doc:"revision, message id, time, -5 (5 s ago) or +5 (after the start)"`
	Cursor     bool    `json:"cursor" doc:"mark it with ▏"`
	Reveal     bool    `json:"reveal" schema:"hidden" doc:"show invisible characters"`
}

type snapshotResult struct {
	SessionID  string          `json:"session_id"`
	Screen     string          `json:"screen,omitempty" doc:"format text"`
	Content    string          `json:"content,omitempty" doc:"formats ansi, html, svg"`
	Runs       []picture.Run   `json:"runs,omitempty" doc:"format json: cells of one row with one style"`
	Rows       rowsOrDiff      `json:"rows" doc:"how many; with since the rows that changed, as {row, text}"`
	Cols       int             `json:"cols"`
	Cursor     emulator.Cursor `json:"cursor"`
	Title      string          `json:"title,omitempty"`
	Revision   uint64          `json:"revision" doc:"feed it back as since"`
	FullScreen bool            `json:"fullscreen,omitempty"`
	Modes      emulator.Modes  `json:"modes,omitzero"`
	Ended      string          `json:"ended,omitempty" doc:"why the server ended the session"`
	Log        string          `json:"log,omitempty" doc:"what is wrong with the session's log"`
	Time       float64         `json:"time,omitempty" doc:"with at: time of the last event before, Unix seconds"`
}

// rowsOrDiff is the result's field rows: the screen's height or, with since, the changed rows.
type rowsOrDiff struct {
	count   int
	changed []rowText // nil without since
}

func (rowsOrDiff) schema() *Schema {
	row := objectSchema(reflect.TypeFor[rowText](), forResult)
	return &Schema{AnyOf: []*Schema{{Type: "integer"}, {Type: "array", Items: row}}}
}

// MarshalJSON writes the changed rows as a list or, without since, the height as a number.
func (r rowsOrDiff) MarshalJSON() ([]byte, error) {
	if r.changed != nil {
		return json.Marshal(r.changed)
	}
	return json.Marshal(r.count)
}

func handleSnapshot(ctx context.Context, c *call, s *session.Session, in *snapshotArgs) (*answer, error) {
	if in.isSlow() {
		if err := c.srv.rendering.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer c.srv.rendering.Release(1)
	}
	if in.At == nil {
		s.MarkSeen(ctx)
	}
	return in.show(c, s)
}

// show answers with the screen.
func (in *snapshotArgs) show(c *call, s *session.Session) (*answer, error) {
	shot, when, err := in.take(s)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Since == nil || *in.Since <= shot.Revision:
	case in.At != nil:
		return nil, refuse("argument \"since\" is revision %d, but at %q the screen was at revision %d; give an earlier revision, or a later moment", *in.Since, clip(*in.At), shot.Revision)
	default:
		return nil, futureRevision(s.ID(), *in.Since, shot.Revision)
	}
	o := picture.Options{CursorMark: in.Cursor, Reveal: in.Reveal, Fonts: c.srv.fonts}
	if in.Region != nil {
		if o.Region, err = in.Region.within(shot.Size); err != nil {
			return nil, err
		}
	}
	out, facts := newSnapshot(c.srv.ref(s.ID()), shot), s.Facts()
	out.Log = facts.Log
	if out.Ended = facts.Ended; in.At != nil {
		out.Time, out.Ended = unixSeconds(when), ""
	}
	if in.Since != nil {
		out.Rows.changed, err = changedRows(shot, o, *in.Since)
		return &answer{text: withStatus(shotStatus(out), rowLines(out.Rows.changed)), data: out}, err
	}
	if drawn := in.Format == "png" || in.Format == "svg" || in.Format == "html"; drawn && out.Ended != "" && o.Region == nil {
		shot = picture.FinalSnapshot(shot)
	}
	return in.draw(shot, o, out)
}

// isSlow reports whether the snapshot takes long, because it is drawn or needs the history.
func (in *snapshotArgs) isSlow() bool {
	return in.Scrollback != 0 || in.At != nil || in.Format != "" && in.Format != "text"
}

// take returns the current screen, or the past one that At names and its time.
func (in *snapshotArgs) take(s *session.Session) (*emulator.Snapshot, time.Time, error) {
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
		return refuse(`give "scrollback" or "since", not both: since is about the screen's rows`)
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
		Cursor:     shot.Cursor,
		Title:      shot.Title,
		Revision:   shot.Revision,
		FullScreen: shot.FullScreen,
		Modes:      shot.Modes,
	}
}

// draw answers with shot in the requested format.
func (in *snapshotArgs) draw(shot *emulator.Snapshot, o picture.Options, out snapshotResult) (*answer, error) {
	var b bytes.Buffer
	if err := picture.Format(cmp.Or(in.Format, "text")).Write(&b, shot, o); err != nil {
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
	status := out
	if in.Format == "html" || in.Format == "svg" {
		status.Title = "" // a program could write markup into the title, and the title follows the document
	}
	return &answer{text: withStatus(shotStatus(status), text.MarkProgram(b.String(), true)), data: out}, nil
}

// changedRows returns the rows within o's region that changed after since.
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
	taken := time.UnixMilli(int64(s.Time * 1000)).UTC()
	return bracket([]string{
		s.SessionID, fmt.Sprintf("%d×%d", s.Rows.count, s.Cols),
		textIf(s.Rows.changed != nil, plural(len(s.Rows.changed), "changed row")),
		fmt.Sprintf("cursor %d,%d", s.Cursor.Row, s.Cursor.Col) + textIf(!s.Cursor.Visible, " hidden"),
		namedPart("title", s.Title), textIf(s.FullScreen, "fullscreen"), fmt.Sprintf("revision %d", s.Revision),
		s.Ended, s.Log, textIf(s.Time > 0, "as of "+taken.Format("2006-01-02 15:04:05.000Z")),
	})
}
