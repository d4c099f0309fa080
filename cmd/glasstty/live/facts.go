package live

import (
	"cmp"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/guard"
)

// Facts are the properties of a session that the page shows in addition to its screen.
type Facts struct {
	Type     string   `json:"t"` // "session"
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Command  string   `json:"command"`
	Program  string   `json:"program,omitempty"` // the program in the foreground
	Title    string   `json:"title,omitempty"`
	Cwd      string   `json:"cwd,omitempty"`
	Status   string   `json:"status"`
	ExitCode *int     `json:"exit,omitempty"`  // nil while the program runs, or if unknown
	Ended    string   `json:"ended,omitempty"` // why the session was ended, if the server or a person ended it
	Created  float64  `json:"created"`         // Unix seconds
	Active   float64  `json:"active"`          // last input, output or exit, in Unix seconds
	Rows     int      `json:"rows"`
	Cols     int      `json:"cols"`
	Secret   bool     `json:"secret,omitempty"` // the program asks for a password
	Held     []Held   `json:"held,omitempty"`
	Failed   *Failed  `json:"failed,omitempty"` // the shell's last command, when it failed
	Typed    DoneBy   `json:"typed"`            // the last input
	Answer   *Answer  `json:"answer,omitempty"` // the latest decision about held input
	Keyboard Keyboard `json:"keyboard"`
	Doing    string   `json:"doing,omitempty"`  // prompt, asks (a question), keys (waits for keys), works; or ""
	Since    float64  `json:"since,omitempty"`  // if Doing is works: when the work began, in Unix seconds; otherwise 0
	Agent    string   `json:"agent,omitempty"`  // the MCP client that started the session
	Folder   string   `json:"folder,omitempty"` // the directory in which the session was started
	Last     string   `json:"last,omitempty"`   // the screen's last line with a letter or digit, not a prompt
}

// Held is an agent's input that the danger check keeps until it is confirmed.
type Held struct {
	Text string   `json:"text" text:"raw"`            // the raw input; the actions approve and refuse take it
	Line string   `json:"line" text:"line"`           // the command line that would run
	Why  []string `json:"why" text:"line"`            // why the check keeps the input, one reason for each danger
	What []string `json:"what,omitempty" text:"line"` // the dangerous parts of Line

	Refused *DoneBy `json:"refused,omitempty"` // who last refused the same input; nil if nobody has
}

// An Answer is a person's decision about held input.
type Answer struct {
	At   float64 `json:"at"` // Unix seconds
	By   string  `json:"by"`
	Mine bool    `json:"mine,omitempty"` // By is the visitor to whom the answer is shown
	Did  string  `json:"did"`            // approved or refused
	Line string  `json:"line"`           // the command line that was held
}

// Failed is a shell's last command, when its exit code is not 0. Only shells that mark
// their commands (OSC 133) report exit codes.
type Failed struct {
	Text     string `json:"text"`
	ExitCode int    `json:"exit"`
}

// DoneBy records who did something, and when.
type DoneBy struct {
	At float64 `json:"at,omitempty"` // Unix seconds; 0 if it was not done
	By string  `json:"by,omitempty"` // a person's name; "" for the agent
}

// Keyboard describes who may type.
type Keyboard struct {
	State     string  `json:"state"`           // free, paused (tool calls cannot type), held (only By can type)
	By        string  `json:"by,omitempty"`    // who has paused the session or holds the keyboard
	Mine      bool    `json:"mine,omitempty"`  // By is the visitor to whom this is shown
	Same      bool    `json:"same,omitempty"`  // By is another page with the visitor's token
	Since     float64 `json:"since,omitempty"` // when State last changed, in Unix seconds
	ReleaseAt float64 `json:"gone,omitempty"`  // when By, who has disconnected, loses the keyboard; Unix seconds
}

// factsOf returns the facts of a session. The fields Mine and Same are set for the visitor v.
func factsOf(s *session.Session, v Visitor) Facts {
	i := s.Info()
	k := i.Keyboard
	f := Facts{
		Type: "session", ID: i.ID, Name: safeText(i.Name, maxShown),
		Command: safeText(strings.Join(append([]string{i.Command}, i.Args...), " "), maxShown),
		Program: safeText(i.Foreground, maxShown), Title: safeText(i.Title, maxShown), Cwd: safeText(i.Cwd, maxShown),
		Status: string(i.Status), ExitCode: i.ExitCode, Ended: i.Ended,
		Created: unixSeconds(i.CreatedAt), Active: unixSeconds(i.LastActivity), Rows: i.Size.Rows, Cols: i.Size.Cols,
		Secret:   s.AsksSecret(),
		Typed:    DoneBy{At: unixSeconds(i.TypedAt), By: safeText(i.TypedBy, maxShown)},
		Keyboard: Keyboard{State: string(k.State), Since: unixSeconds(k.Since), ReleaseAt: unixSeconds(k.FreeAt)},
	}
	if c := i.LastCommand; c != nil && c.ExitCode != 0 {
		f.Failed = &Failed{Text: safeText(c.Text, maxShown), ExitCode: c.ExitCode}
	}
	for _, h := range s.Held() {
		held := Held{Text: h.Text, Line: safeText(cmp.Or(h.Line, h.Text), maxLine), Why: safeTexts(h.Why), What: safeTexts(h.What)}
		if r := h.Refused; r != nil {
			held.Refused = &DoneBy{At: unixSeconds(r.At), By: safeText(r.By, maxShown)}
		}
		f.Held = append(f.Held, held)
	}
	if n := len(i.Answers); n > 0 {
		f.Answer = answerOf(i.Answers[n-1], v)
	}
	if k.State != session.KeyboardFree {
		f.Keyboard.By, f.Keyboard.Mine = safeText(k.By.String(), maxShown), k.By.ID == v.Person.ID
		f.Keyboard.Same = !f.Keyboard.Mine && v.tokenID != "" && strings.HasPrefix(k.By.ID, v.tokenID+"/")
	}
	f.Doing, f.Since = doing(&i)
	if f.Doing == "asks" && s.Snapshot(0).FullScreen {
		f.Doing = "keys" // a full-screen program such as top waits for keys but asks no question
	}
	f.Agent, f.Folder, f.Last = safeText(i.Client, maxShown), safeText(i.Dir, maxShown), safeText(s.LastText(f.Doing == "prompt"), maxShown)
	return f
}

// answerOf converts an answer. Mine is set for the visitor v.
func answerOf(a guard.Answer, v Visitor) *Answer {
	did := "refused"
	if a.Allowed {
		did = "approved"
	}
	return &Answer{At: unixSeconds(a.At), By: safeText(a.By, maxShown), Mine: a.ID == v.Person.ID, Did: did, Line: safeText(a.Line, maxShown)}
}

// doing returns Facts.Doing, except that it returns asks instead of keys, and Facts.Since. It judges by
// the shell's marks (OSC 133), the last verdict of package detect, and the times of the last input and output.
func doing(i *session.Info) (what string, since float64) {
	switch {
	case i.Status != session.StatusRunning:
		return "", 0
	case i.AtPrompt:
		return "prompt", 0
	case i.Asks:
		return "asks", 0
	case !i.BusySince.IsZero():
		return "works", unixSeconds(i.BusySince)
	case i.TypedAt.After(i.OutputAt):
		return "works", unixSeconds(i.TypedAt)
	case i.LastReason == detect.Prompt:
		return "prompt", 0
	case i.LastReason == detect.AwaitingInput:
		return "asks", 0
	}
	return "", 0
}

// Urgency returns the rank of a session in lists for people: 0 if it runs and asks for a password or
// has held input, 1 for other sessions that run, and 2 for sessions that do not run.
func (f *Facts) Urgency() int {
	switch {
	case f.Status != string(session.StatusRunning):
		return 2
	case f.Secret || len(f.Held) > 0:
		return 0
	}
	return 1
}

// urgency returns Facts.Urgency for a session without collecting all its facts.
func urgency(s *session.Session) int {
	f := Facts{Status: string(s.Info().Status), Secret: s.AsksSecret(), Held: make([]Held, len(s.Held()))}
	return f.Urgency()
}

// safeTexts applies safeText with the limit maxLine to each text.
func safeTexts(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = safeText(t, maxLine)
	}
	return out
}

// unixSeconds returns t in Unix seconds, or 0 for the zero time.
func unixSeconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMicro()) / 1e6 // microseconds order sessions of the same millisecond
}
