package state

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/text"
)

// Options configure a new State.
type Options struct {
	Terminal emulator.Options // its limits and size
	Mask     *mask.Mask       // hides secrets from readers; nil hides nothing
	Pipe     bool             // the child has pipes instead of a terminal
	Nonce    string           // the secret in the marks of a shell that was set up to send them; empty for other programs
	Began    time.Time        // when the session began
}

// A State is the state of a session after the events that were applied to it. Use New to make one.
type State struct {
	Options  `json:"-"`
	Term     *emulator.Terminal `json:"-"`
	Raw      Ring               `json:"-"`               // the latest bytes of output
	Activity time.Time          `json:"activity"`        // time of the latest output or input, or of the exit
	Ended    bool               `json:"ended,omitempty"` // the program has ended: no output follows
	Cwd      string             `json:"cwd,omitempty"`   // as reported by OSC 7

	LastOutput time.Time                `json:"last_output"`
	Events     Numbered[emulator.Event] `json:"events"` // bells, notifications and the like
	Pace       detect.Pace              `json:"pace"`
	Marks      Marks                    `json:"marks"`
	Edit       LineEdit                 `json:"edit"`
	Echoes     text.Echoes              `json:"echoes"`

	Inputs  int64   `json:"inputs"` // number of inputs so far, see eventlog.InputNote.Number
	BytesIn int64   `json:"bytes_in"`
	Last    Input   `json:"last"`            // the last input
	Calls   []Input `json:"calls,omitempty"` // the latest named calls, in case a client repeats them

	Messages MessageLog `json:"messages"`

	Verdict eventlog.VerdictNote `json:"verdict"`          // the last verdict
	Reason  detect.Reason        `json:"reason,omitempty"` // the Reason of the last verdict that has a reason
	Prompts detect.Prompts       `json:"prompts"`          // the prompts that were learned

	Updated       time.Time           `json:"updated"` // when the latest synchronized update began
	nextInput     *eventlog.InputNote // the note of an input whose parts have not been applied yet, or nil
	inputRestored bool                // the saved state contains the input whose parts are being applied
	sentBytes     int                 // bytes of Last that were sent
}

// New returns the state of a new session.
func New(o Options) *State {
	return &State{
		Options: o, Term: emulator.New(o.Terminal), Raw: Ring{Limit: RawLimit},
		Activity: o.Began, Last: Input{Time: o.Began},
		Marks: Marks{Starting: o.Nonce != "", RunOffset: -1, DoneOffset: -1},
	}
}

// updateLimit is the time after which a synchronized update counts as ended: a program that is killed
// during an update does not end it.
const updateLimit = time.Second

// HalfDrawn reports whether the screen is incomplete: the output ends in the middle of a control
// sequence, a character, or a synchronized update.
func (s *State) HalfDrawn(now time.Time) bool {
	return s.Term.InsideSequence() || s.Term.Modes().Synchronized && now.Sub(s.Updated) < updateLimit
}

// version is the version of an encoded State. Increase it with every change to State or to
// the types in it.
const version = 11

// The indexes of the parts of an encoded State.
const (
	PartJSON     = iota // everything except the terminal and the raw output
	PartTerminal        // see emulator.Terminal.State
	PartRaw             // the latest bytes of output
	numParts
)

// An encoded is the JSON part of an encoded State.
type encoded struct {
	Version int   `json:"version"`
	Total   int64 `json:"total"` // bytes of output since the session began
	*State
}

// Encode returns the parts of a saved state, for eventlog.SaveState and Decode. Call it only while no
// call is typing: otherwise the log before the saved state may contain a part of the input.
func (s *State) Encode() ([][]byte, error) {
	data, err := json.Marshal(encoded{version, s.Raw.Total, s})
	if err != nil {
		return nil, err
	}
	parts := s.EncodeTerminal()
	parts[PartJSON], parts[PartRaw] = data, s.Raw.Since(s.Raw.First())
	return parts, nil
}

// EncodeTerminal returns the parts of a saved state that has only the terminal (see SavedTerminal).
func (s *State) EncodeTerminal() [][]byte {
	parts := make([][]byte, numParts)
	parts[PartTerminal] = s.Term.State()
	return parts
}

// Decode returns the State that Encode has encoded. It returns an error for a state of another version.
func Decode(parts [][]byte, o Options) (*State, error) {
	if len(parts) != numParts {
		return nil, fmt.Errorf("a state of %d parts; want %d", len(parts), numParts)
	}
	s := New(o)
	e := encoded{State: s}
	if err := json.Unmarshal(parts[PartJSON], &e); err != nil {
		return nil, err
	}
	raw := parts[PartRaw]
	if e.Version != version || len(raw) > RawLimit || int64(len(raw)) > e.Total {
		return nil, fmt.Errorf("a state of version %d, with %d of %d bytes of output; want version %d", e.Version, len(raw), e.Total, version)
	}
	var err error
	if s.Term, err = emulator.Restore(parts[PartTerminal], o.Terminal); err != nil {
		return nil, err
	}
	s.Raw.Skip(e.Total - int64(len(raw)))
	s.Raw.Write(raw)
	s.inputRestored = true
	return s, nil
}

// Skip continues after n bytes of output that are missing from the log. Their effect on the cursor and
// the prompt is not known. So Skip cancels a control sequence that was cut (CAN, ECMA-48 8.3.6), begins
// a new line, and forgets the shell's marks and the echoes that have not been found.
func (s *State) Skip(n int64) {
	s.Raw.Skip(n)
	s.Marks, s.Prompts.Scope = Marks{RunOffset: -1, DoneOffset: -1}, 0
	s.Echoes.Pending, s.Edit.Set = nil, false
	_, _ = s.Term.Write([]byte{0x18}) // the error is always nil
	if pos, ok := s.Term.CursorPosition(); ok && pos.Offset > 0 {
		_, _ = s.Term.Write([]byte("\r\n"))
	}
}
