package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/replay"
)

// maxScrollback is the most rows above the screen that one request returns.
const maxScrollback = 2000

// lines serves the rows above the screen, in the form of frames: ?id=&rows=. Row -1 is
// the row right above the screen. The answer has a frame of the screen too: with a frame
// of another moment, rows could be missing or appear twice.
func (s *Server) lines(w http.ResponseWriter, r *http.Request, _ Visitor) {
	q := r.URL.Query()
	t, err := s.opt.Manager.Session(q.Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	n, err := strconv.Atoi(q.Get("rows"))
	if err != nil || n < 1 || n > maxScrollback {
		http.Error(w, fmt.Sprintf("rows is %q; allowed are 1 to %d", q.Get("rows"), maxScrollback), http.StatusBadRequest)
		return
	}
	snap := t.Snapshot(n)
	m := newFrameMaker(album{t.ID(), "", snap.Images})
	lines := make([]FrameLine, len(snap.Scrollback))
	for i, row := range snap.Scrollback {
		lines[i] = m.line(i-len(snap.Scrollback), row, snap.Size.Cols)
	}
	answer(w, map[string]any{"cols": snap.Size.Cols, "inks": m.list, "lines": lines, "frame": newFrame(t.ID(), snap, 0, snap.Size)})
}

// at serves the screen at a moment of a session's recording: ?id=&t=, where t is in Unix
// seconds or another form that Session.SnapshotAt accepts.
func (s *Server) at(w http.ResponseWriter, r *http.Request, _ Visitor) {
	q := r.URL.Query()
	t, err := s.opt.Manager.Session(q.Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	snap, when, err := t.SnapshotAt(q.Get("t"), 0)
	if errors.Is(err, replay.ErrPast) {
		// The slider is at its left end, or the oldest part of the log has been deleted.
		var first time.Time
		if first, err = firstKept(t); err == nil {
			snap, when, err = t.SnapshotAt(first.Format(time.RFC3339Nano), 0)
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer(w, struct {
		*Frame
		At float64 `json:"at"` // when the screen last changed before that moment
	}{newFrameAt(t.ID(), q.Get("t"), snap, 0, snap.Size), unix(when)})
}

// firstKept returns the first moment in a session's log.
func firstKept(s *session.Session) (time.Time, error) {
	rec, err := s.Recording()
	if err != nil {
		return time.Time{}, err
	}
	return rec.From(), nil
}

// timeline serves the times at which a session was busy, and the exit codes of its
// commands: ?id=. Times are in Unix seconds.
func (s *Server) timeline(w http.ResponseWriter, r *http.Request, _ Visitor) {
	t, err := s.opt.Manager.Session(r.URL.Query().Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	rec, err := t.Recording()
	var line *replay.Timeline
	if err == nil {
		line, err = rec.Timeline()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	type end struct {
		At   float64 `json:"at"`
		Exit int     `json:"exit"`
	}
	busy, ends := [][2]float64{}, []end{}
	for _, b := range line.Busy {
		busy = append(busy, [2]float64{unix(b.Begin), unix(b.End)})
	}
	for _, c := range line.Commands {
		ends = append(ends, end{unix(c.At), c.ExitCode})
	}
	answer(w, map[string]any{"from": unix(line.From.Add(time.Millisecond)), "busy": busy, "commands": ends})
}

// moment serves the time at which a line of the output first had a text: ?id=&line=&text=. If it
// never had that text, as one that hides a secret, it is the time at which the line appeared.
func (s *Server) moment(w http.ResponseWriter, r *http.Request, _ Visitor) {
	q := r.URL.Query()
	t, err := s.opt.Manager.Session(q.Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	n, err := strconv.ParseInt(q.Get("line"), 10, 64)
	if err != nil || n < 0 {
		http.Error(w, fmt.Sprintf("line is %q; want a number, 0 or more", q.Get("line")), http.StatusBadRequest)
		return
	}
	rec, err := t.Recording()
	var at time.Time
	if err == nil {
		at, err = rec.LineAt(n, q.Get("text"))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, map[string]any{"at": unix(at.Add(time.Millisecond))})
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

// search serves the matches of a text in a session's history: ?id=&q=. With &re=1 the
// text is a regular expression (RE2).
func (s *Server) search(w http.ResponseWriter, r *http.Request, _ Visitor) {
	q := r.URL.Query()
	t, err := s.opt.Manager.Session(q.Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	text := q.Get("q")
	if q.Get("re") == "" {
		text = regexp.QuoteMeta(text)
	}
	pattern, err := regexp.Compile("(?i)" + text)
	if err == nil && text == "" {
		err = errors.New("there is nothing to search for")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, hits, err := t.Read(r.Context(), session.ReadOptions{Search: pattern, Context: 1}, session.Wait{}, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	out := []map[string]any{}
	for _, h := range hits {
		out = append(out, map[string]any{"line": h.Line, "hits": h.Hits, "text": h.Text})
	}
	answer(w, map[string]any{"hits": out})
}

// maxInputs is how many of a session's inputs are listed, the latest ones, and
// maxInputText the longest text of one, in bytes.
const (
	maxInputs    = 200
	maxInputText = 200
)

// unbracketed removes the control sequences around a bracketed paste (xterm ctlseqs,
// "Bracketed Paste Mode").
var unbracketed = strings.NewReplacer("\x1b[200~", "", "\x1b[201~", "", "^[[200~", "", "^[[201~", "")

// keyPause is the longest pause between two keys that are listed as one input.
const keyPause = 5 * time.Second

// An input is an entry in the list of what was typed into a session.
type input struct {
	At   float64 `json:"at"`             // Unix seconds
	By   string  `json:"by,omitempty"`   // a person's name; "" for the agent
	Text string  `json:"text"`           // for a secret, only a placeholder with its length
	Mine bool    `json:"mine,omitempty"` // the visitor has decided; of what he typed, his browser knows
	Did  string  `json:"did,omitempty"`  // approved or refused, when Text was held and By has decided

	last time.Time // of the last key in it
}

// inputs serves what was typed into a session and who typed it, and what people decided
// about held inputs, oldest first: ?id=.
func (s *Server) inputs(w http.ResponseWriter, r *http.Request, v Visitor) {
	t, err := s.opt.Manager.Session(r.URL.Query().Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	list, err := inputsOf(t, v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, list)
}

// inputsOf returns the latest inputs of a session, and answers to what was held, as v sees them.
func inputsOf(t *session.Session, v Visitor) ([]input, error) {
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
		in := input{At: unix(m.CreatedAt), By: shown(m.Person, maxShown), Text: shown(unbracketed.Replace(m.Content), maxInputText), last: m.CreatedAt}
		if n := len(list); n == 0 || !list[n-1].takes(in) {
			list = append(list, in)
		}
	}
	for _, given := range t.Facts().Answers {
		a := answerOf(given, v)
		list = append(list, input{At: a.At, By: a.By, Mine: a.Mine, Text: a.Line, Did: a.Did})
	}
	slices.SortStableFunc(list, func(a, b input) int { return cmp.Compare(a.At, b.At) })
	return list[max(len(list)-maxInputs, 0):], nil
}

// takes appends next to in when both are parts of one line that one person types, and
// reports whether it did.
func (in *input) takes(next input) bool {
	if in.By != next.By || strings.HasSuffix(in.Text, "\n") || len(in.Text)+len(next.Text) > maxInputText || next.last.Sub(in.last) > keyPause {
		return false
	}
	in.Text += next.Text
	in.last = next.last
	return true
}

// answer writes v as JSON.
func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return // the browser has gone
	}
}
