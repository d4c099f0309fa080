package live

import (
	"cmp"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// Facts are what the page shows of a session beside its screen.
type Facts struct {
	Type     string   `json:"t"` // "session"
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Command  string   `json:"command"`
	Program  string   `json:"program,omitempty"` // in front
	Title    string   `json:"title,omitempty"`
	Cwd      string   `json:"cwd,omitempty"`
	Status   string   `json:"status"`
	ExitCode *int     `json:"exit,omitempty"`
	Reason   string   `json:"reason,omitempty"` // of the last wait
	Ended    string   `json:"ended,omitempty"`  // why the server has ended it
	Created  float64  `json:"created"`          // Unix seconds
	Active   float64  `json:"active"`           // last input, output or end, in Unix seconds
	Rows     int      `json:"rows"`
	Cols     int      `json:"cols"`
	Pipe     bool     `json:"pipe,omitempty"`
	Secret   bool     `json:"secret,omitempty"` // asks for a password
	Held     []Held   `json:"held,omitempty"`
	Failed   *Failed  `json:"failed,omitempty"` // the last command, when it did
	Typed    TypedBy  `json:"typed"`
	Keyboard Keyboard `json:"keyboard"`
	Doing    string   `json:"doing,omitempty"`  // prompt, asks, keys, works; "" when nobody knows
	Since    float64  `json:"since,omitempty"`  // of works, in Unix seconds
	Agent    string   `json:"agent,omitempty"`  // the MCP client that has started it
	Folder   string   `json:"folder,omitempty"` // that it was started in
	Last     string   `json:"last,omitempty"`   // the last line of its screen that has text
}

// Held is input of the agent that the danger check holds back.
type Held struct {
	Text string   `json:"text"` // that names it
	Line string   `json:"line"` // what would be run
	Why  []string `json:"why"`
	What []string `json:"what,omitempty"` // the parts of Line that were found
}

// Failed is the last command of a shell that tells how its commands end.
type Failed struct {
	Text     string `json:"text"`
	ExitCode int    `json:"exit"`
}

// TypedBy is who typed last.
type TypedBy struct {
	At float64 `json:"at,omitempty"` // Unix seconds; 0: nobody has
	By string  `json:"by,omitempty"` // a person's name; "" for the agent
}

// Keyboard is who may type.
type Keyboard struct {
	State string  `json:"state"`
	By    string  `json:"by,omitempty"`
	Mine  bool    `json:"mine,omitempty"`
	Same  bool    `json:"same,omitempty"`  // By is another page of the same browser
	Since float64 `json:"since,omitempty"` // Unix seconds
	Gone  float64 `json:"gone,omitempty"`  // when it is given back because By is away
}

// factsOf returns what v is shown of a session.
func factsOf(s *session.Session, v Visitor) Facts {
	i := s.Info()
	k := i.Keyboard
	f := Facts{
		Type: "session", ID: i.ID, Name: shown(i.Name, maxShown),
		Command: shown(strings.Join(append([]string{i.Command}, i.Args...), " "), maxShown),
		Program: shown(i.Foreground, maxShown), Title: shown(i.Title, maxShown), Cwd: shown(i.Cwd, maxShown),
		Status: string(i.Status), ExitCode: i.ExitCode, Reason: string(i.LastReason), Ended: i.Ended,
		Created: unix(i.CreatedAt), Active: unix(i.LastActivity), Rows: i.Size.Rows, Cols: i.Size.Cols,
		Pipe: i.Pipe, Secret: s.AsksSecret(),
		Typed:    TypedBy{At: unix(i.TypedAt), By: shown(i.TypedBy, maxShown)},
		Keyboard: Keyboard{State: string(k.State), Since: unix(k.Since), Gone: unix(k.Leaving)},
	}
	if c := i.LastCommand; c != nil && c.ExitCode != 0 {
		f.Failed = &Failed{Text: shown(c.Text, maxShown), ExitCode: c.ExitCode}
	}
	for _, h := range s.Held() {
		f.Held = append(f.Held, Held{Text: h.Text, Line: shown(cmp.Or(h.Line, h.Text), maxLine), Why: allShown(h.Why), What: allShown(h.What)})
	}
	if k.State != session.KeyboardFree {
		f.Keyboard.By, f.Keyboard.Mine = shown(k.By.String(), maxShown), k.By.ID == v.Person.ID
		f.Keyboard.Same = !f.Keyboard.Mine && v.token != "" && strings.HasPrefix(k.By.ID, v.token+"/")
	}
	f.Doing, f.Since = doing(&i)
	if f.Doing == "asks" && s.Snapshot(0).FullScreen {
		f.Doing = "keys" // such as top: it asks nothing
	}
	f.Agent, f.Folder, f.Last = shown(i.Client, maxShown), shown(i.Dir, maxShown), shown(s.LastText(f.Doing == "prompt"), maxShown)
	return f
}

// doing says what a session does, as far as its marks, its last wait and its last input
// and output tell, and since when it works.
func doing(i *session.Info) (what string, since float64) {
	switch {
	case i.Status != session.StatusRunning:
		return "", 0
	case i.AtPrompt:
		return "prompt", 0
	case i.Asks:
		return "asks", 0
	case !i.BusySince.IsZero():
		return "works", unix(i.BusySince)
	case i.TypedAt.After(i.OutputAt):
		return "works", unix(i.TypedAt)
	case i.LastReason == detect.Prompt:
		return "prompt", 0
	case i.LastReason == detect.AwaitingInput:
		return "asks", 0
	}
	return "", 0
}

// Urgency orders sessions for a person: 0 for one that waits for one, 1 for one that
// runs, 2 for one that has ended.
func (f *Facts) Urgency() int {
	switch {
	case f.Status != string(session.StatusRunning):
		return 2
	case f.Secret || len(f.Held) > 0:
		return 0
	}
	return 1
}

// urgency is the Urgency of a session.
func urgency(s *session.Session) int {
	f := Facts{Status: string(s.Info().Status), Secret: s.AsksSecret(), Held: make([]Held, len(s.Held()))}
	return f.Urgency()
}

// allShown returns texts as shown does.
func allShown(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = shown(t, maxLine)
	}
	return out
}

// unix returns t in seconds since 1970, 0 for the zero time.
func unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMicro()) / 1e6 // sessions of the same millisecond have an order too
}
