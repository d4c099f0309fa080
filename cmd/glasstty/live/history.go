package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/replay"
)

// maxScrollback is the maximum number of rows above the screen that one request returns.
const maxScrollback = 2000

// A sessionFunc returns the response to a request about a session. The response is written as JSON.
type sessionFunc func(r *http.Request, t *session.Session, v Visitor) (any, error)

// A badRequest is an error in the request's parameters. The response has status 400.
type badRequest struct{ error }

// forSession returns a handler that calls serve with the session that a request's parameter id names.
func (s *Server) forSession(serve sessionFunc) visitorHandler {
	return func(w http.ResponseWriter, r *http.Request, v Visitor) {
		t, err := s.opt.Manager.Session(r.URL.Query().Get("id"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		out, err := serve(r, t, v)
		switch {
		case errors.As(err, new(badRequest)):
			http.Error(w, err.Error(), http.StatusBadRequest)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			answer(w, out)
		}
	}
}

// lines serves the last rows of the scrollback, up to a number: ?id=&rows=. Row -1 is right above the screen.
// The response includes a frame of the screen from the same moment: between the scrollback and a frame
// from another moment, rows could be missing or appear twice.
func lines(r *http.Request, t *session.Session, _ Visitor) (any, error) {
	q := r.URL.Query()
	n, err := strconv.Atoi(q.Get("rows"))
	if err != nil || n < 1 || n > maxScrollback {
		return nil, badRequest{fmt.Errorf("invalid rows %q (want 1 to %d)", q.Get("rows"), maxScrollback)}
	}
	snap := t.Snapshot(n)
	m := newFrameMaker(imageSet{t.ID(), "", snap.Images})
	above := make([]FrameLine, len(snap.Scrollback))
	for i, row := range snap.Scrollback {
		above[i] = m.line(i-len(snap.Scrollback), row, snap.Size.Cols)
	}
	return &history{snap.Size.Cols, m.list, above, newFrame(t.ID(), "", snap, 0, snap.Size)}, nil
}

// A history is the response to /lines.
type history struct {
	Cols  int         `json:"cols"` // width of the screen
	Inks  []Ink       `json:"inks" text:"raw"`
	Lines []FrameLine `json:"lines" text:"raw"` // rows above the screen, topmost first
	Frame *Frame      `json:"frame"`            // the whole screen
}

// screenAt serves the screen at a moment of a session's recording: ?id=&t=. t is in Unix seconds or in
// another form that Session.SnapshotAt accepts. If t is before the recording, it serves the first screen.
func screenAt(r *http.Request, t *session.Session, _ Visitor) (any, error) {
	q := r.URL.Query()
	snap, when, err := t.SnapshotAt(q.Get("t"), 0)
	if errors.Is(err, replay.ErrPast) {
		// For example, the oldest part of the log has been deleted.
		var rec *replay.Replay
		if rec, err = t.Recording(); err == nil {
			snap, when, err = t.SnapshotAt(rec.From().Format(time.RFC3339Nano), 0)
		}
	}
	if err != nil {
		return nil, badRequest{err}
	}
	return &screenAtResponse{newFrame(t.ID(), q.Get("t"), snap, 0, snap.Size), unixSeconds(when)}, nil
}

// A screenAtResponse is the response to /at.
type screenAtResponse struct {
	*Frame
	At float64 `json:"at"` // time of the last event before the requested moment, in Unix seconds
}

// timeline serves the periods in which a session had input or output, and the exit codes of its
// commands: ?id=. Times are in Unix seconds.
func timeline(_ *http.Request, t *session.Session, _ Visitor) (any, error) {
	rec, err := t.Recording()
	if err != nil {
		return nil, err
	}
	line, err := rec.Timeline()
	if err != nil {
		return nil, err
	}
	out := &activity{From: unixSeconds(line.From.Add(clockStep)), Busy: [][2]float64{}, Commands: []commandEnd{}}
	for _, b := range line.Busy {
		out.Busy = append(out.Busy, [2]float64{unixSeconds(b.Begin), unixSeconds(b.End)})
	}
	for _, c := range line.Commands {
		out.Commands = append(out.Commands, commandEnd{unixSeconds(c.At), c.ExitCode})
	}
	return out, nil
}

// An activity is the response to /timeline.
type activity struct {
	From     float64      `json:"from"` // the beginning of the recording
	Busy     [][2]float64 `json:"busy"` // begin and end of each period
	Commands []commandEnd `json:"commands"`
}

// A commandEnd is the end of a shell's command.
type commandEnd struct {
	At   float64 `json:"at"`
	Exit int     `json:"exit"`
}

// clockStep is the precision of a log's times. The page asks screenAt for the times in the responses of
// timeline (From) and moment. Both add clockStep, because the browser may round down, to before the event.
const clockStep = time.Microsecond

// moment serves the time at which a line of the output first contained a text: ?id=&line=&text=. If the
// line never contained the text, for example because a secret in the line is masked, moment serves the
// time at which the line first had any text. For a line older than the log, it serves the log's beginning.
func moment(r *http.Request, t *session.Session, _ Visitor) (any, error) {
	q := r.URL.Query()
	n, err := strconv.ParseInt(q.Get("line"), 10, 64)
	if err != nil || n < 0 {
		return nil, badRequest{fmt.Errorf("invalid line %q (want a number, 0 or more)", q.Get("line"))}
	}
	rec, err := t.Recording()
	if err != nil {
		return nil, err
	}
	when, err := rec.LineAt(n, q.Get("text"))
	return &momentResponse{unixSeconds(when.Add(clockStep))}, err
}

// A momentResponse is the response to /moment.
type momentResponse struct {
	At float64 `json:"at"`
}

// sessions serves the facts of all sessions, oldest first.
func (s *Server) sessions(w http.ResponseWriter, r *http.Request, v Visitor) {
	all, _, err := s.opt.Manager.Sessions(r.Context(), 0)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	list := make([]Facts, len(all))
	for i, t := range all {
		list[i] = factsOf(t, v)
	}
	answer(w, list)
}

// search serves the matches of a text in a session's history, ignoring case: ?id=&q=. With &re=1 the
// text is a regular expression (RE2).
func search(r *http.Request, t *session.Session, _ Visitor) (any, error) {
	q := r.URL.Query()
	text := q.Get("q")
	if q.Get("re") == "" {
		text = regexp.QuoteMeta(text)
	}
	pattern, err := regexp.Compile("(?i)" + text)
	if err == nil && text == "" {
		err = errors.New("the search text is empty")
	}
	if err != nil {
		return nil, badRequest{err}
	}
	_, hits, err := t.Read(r.Context(), session.ReadOptions{Search: pattern, Context: 1}, session.Wait{}, nil)
	if err != nil {
		return nil, err
	}
	out := &searchResponse{Hits: []hit{}}
	for _, h := range hits {
		out.Hits = append(out.Hits, hit{h.Line, h.Hits, h.Text})
	}
	return out, nil
}

// A searchResponse is the response to /search.
type searchResponse struct {
	Hits []hit `json:"hits"`
}

// A hit is a run of lines: lines that match, and the lines before and after them.
type hit struct {
	Line int64    `json:"line"` // number of the first line
	Hits []int64  `json:"hits"` // numbers of the lines that match
	Text []string `json:"text" text:"line"`
}

const (
	// maxInputs is the maximum number of entries in the list of inputs; older ones are left out.
	maxInputs = 200
	// maxInputText is the maximum size of one input's text, in bytes.
	maxInputText = 200
)

// pasteStripper removes the control sequences around a bracketed paste (xterm ctlseqs, "Bracketed
// Paste Mode"). They may be written as bytes or in caret notation.
var pasteStripper = strings.NewReplacer("\x1b[200~", "", "\x1b[201~", "", "^[[200~", "", "^[[201~", "")

// An input is an entry in the list of a session's inputs.
type input struct {
	At   float64 `json:"at"`               // Unix seconds
	By   string  `json:"by,omitempty"`     // a person's name; "" for the agent
	Text string  `json:"text" text:"line"` // for a secret, only a placeholder with the secret's length
	Mine bool    `json:"mine,omitempty"`   // the visitor made this decision; false for inputs
	Did  string  `json:"did,omitempty"`    // approved or refused, for a decision about held input; "" for an input
}

// inputs serves a session's latest inputs and decisions about held input, oldest first: ?id=.
func inputs(_ *http.Request, t *session.Session, v Visitor) (any, error) {
	all, _, err := t.Messages("", session.MaxMessages+1)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, m := range all {
		if m.Type == session.MessageInput {
			ids = append(ids, m.ID)
		}
	}
	texts, err := t.MessageTexts(ids)
	if err != nil {
		return nil, err
	}
	list := []input{}
	for _, m := range texts {
		list = append(list, input{At: unixSeconds(m.CreatedAt()), By: safeText(m.Person, maxShown), Text: safeText(pasteStripper.Replace(m.Content), maxInputText)})
	}
	for _, given := range t.Facts().Answers {
		a := answerOf(given, v)
		list = append(list, input{At: a.At, By: a.By, Mine: a.Mine, Text: a.Line, Did: a.Did})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].At < list[j].At })
	return list[max(len(list)-maxInputs, 0):], nil
}

// answer writes v as JSON.
func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // an error means that the browser has disconnected
}
