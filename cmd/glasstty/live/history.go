package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session"
)

// maxScrollback bounds the rows above the screen that one request gets.
const maxScrollback = 2000

// lines serves the rows above the screen: ?id=&rows=, drawn as frames are. Row
// -1 is the one right above the screen.
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
	m := newFrameMaker()
	lines := make([]FrameLine, len(snap.Scrollback))
	for i, row := range snap.Scrollback {
		lines[i] = m.line(i-len(snap.Scrollback), row, snap.Size.Cols)
	}
	answer(w, map[string]any{"cols": snap.Size.Cols, "inks": m.list, "lines": lines})
}

// at serves the screen at a moment of a session's recording: ?id=&t=, in Unix
// seconds or as session.SnapshotAt has it.
func (s *Server) at(w http.ResponseWriter, r *http.Request, _ Visitor) {
	q := r.URL.Query()
	t, err := s.opt.Manager.Session(q.Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	snap, when, err := t.SnapshotAt(q.Get("t"), 0)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer(w, struct {
		*Frame
		At float64 `json:"at"` // of the last change before it
	}{newFrame(t.ID(), snap, 0, snap.Size), unix(when)})
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

// search serves the places of a text in a session's history: ?id=&q=, by regular
// expression (RE2) with &re=1.
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

// maxInputs is how many inputs of a session are listed, the latest, and
// maxInputText how much of each, in bytes.
const (
	maxInputs    = 200
	maxInputText = 200
)

// oneLine is how long a person may think between two keys of what is listed as
// one input.
const oneLine = 5 * time.Second

// An input is something that was typed.
type input struct {
	At   float64 `json:"at"`           // Unix seconds
	By   string  `json:"by,omitempty"` // a person's name; "" for the agent
	Text string  `json:"text"`         // of a secret, that it is one and how long

	last time.Time // of the last key in it
}

// inputs serves what was typed into a session, and who typed it, oldest first:
// ?id=.
func (s *Server) inputs(w http.ResponseWriter, r *http.Request, _ Visitor) {
	t, err := s.opt.Manager.Session(r.URL.Query().Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	list, err := inputsOf(t)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, list)
}

// inputsOf returns the latest inputs of a session.
func inputsOf(t *session.Session) ([]input, error) {
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
		in := input{At: unix(m.CreatedAt), By: shown(m.Person, maxShown), Text: shown(m.Content, maxInputText), last: m.CreatedAt}
		if n := len(list); n == 0 || !list[n-1].takes(in) {
			list = append(list, in)
		}
	}
	return list[max(len(list)-maxInputs, 0):], nil
}

// takes adds next to in when both are keys of one line that somebody types, and
// reports whether they are.
func (in *input) takes(next input) bool {
	if in.By != next.By || strings.HasSuffix(in.Text, "\n") || len(in.Text)+len(next.Text) > maxInputText || next.last.Sub(in.last) > oneLine {
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
