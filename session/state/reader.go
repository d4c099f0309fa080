package state

import (
	"github.com/glasstty/glasstty/session/text"
)

// Begin notes where the reader stands as a call is about to move it.
func (r *Reader) Begin(call string) {
	before := r.copy()
	r.Call, r.Origin = call, &before
}

// copy returns where the reader stands, without where it stood.
func (r *Reader) copy() Reader {
	now := *r
	now.Origin, now.Start = nil, nil
	return now
}

// Repeat puts the reader back to where it stood before a call that is made
// again.
func (r *Reader) Repeat(call string) {
	if call != "" && r.Call == call && r.Origin != nil {
		*r = *r.Origin
	}
}

// BeginRun notes where the reader stands before a run of calls under one name. One that
// is made again puts the reader back to where it stood before.
func (r *Reader) BeginRun(name string) {
	if name != "" && r.Run == name {
		r.Return()
	}
	start := r.copy()
	r.Run, r.Start = name, &start
}

// Return puts the reader back to where it stood before the run.
func (r *Reader) Return() {
	if r.Start != nil {
		*r = *r.Start
	}
}

// A Reader is a cursor into what a session has shown. Its zero value stands at
// the oldest output.
type Reader struct {
	Seen   text.Seen
	Before int64 // bytes of text that it has seen, to tell how much was lost

	Raw    int64  // the first raw byte not given
	Screen uint64 // the revision of the last screen given
	Event  int64  // the number of the next event
	Notice int64  // the number of the next notice

	Title, Cwd, Foreground string // as last told
	Prompt                 string // the same
	Password               bool   // the hint about secrets was given

	Observer string `json:"Looker"` // the observer that it belongs to, see session.WithObserver; "" is anybody's

	Call   string  // the call that moved it last, see session.WithCall
	Origin *Reader `json:",omitempty"` // where it stood before that call; nil when not known

	Run   string  `json:",omitempty"` // the name of the last run of calls
	Start *Reader `json:",omitempty"` // where it stood before that

	// A restart forgets what is below.
	Guessed uint64 `json:"-"` // the revision of the last reply that was a guess
	Guesses int    `json:"-"` // how many replies in a row were that guess
}

// Guess notes that r's reply at this revision was a guess, or was not.
func (r *Reader) Guess(yes bool, now uint64) {
	switch {
	case !yes:
		r.Guesses = 0
	case r.Guesses > 0 && r.Guessed == now:
		r.Guesses++
	default:
		r.Guesses, r.Guessed = 1, now
	}
}
