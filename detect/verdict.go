package detect

import "time"

// A Reason is why a wait ended. Tool replies use the same words.
type Reason string

// The reasons. Exited, Prompt, AwaitingInput, Password and Matched are certain, or nearly
// so: Complete reports true for them.
const (
	Exited        Reason = "exited"
	Prompt        Reason = "prompt"
	AwaitingInput Reason = "awaiting_input"
	Password      Reason = "password"
	Matched       Reason = "matched"
	Changed       Reason = "changed"
	Settled       Reason = "settled"
	Timeout       Reason = "timeout"
	Returned      Reason = "returned"
	Released      Reason = "released"
)

// Complete reports whether r says that the program has finished answering.
func (r Reason) Complete() bool {
	switch r {
	case Exited, Prompt, AwaitingInput, Password, Matched:
		return true
	}
	return false
}

// A Layer is the kind of evidence that decided.
type Layer string

// The layers, strongest first.
const (
	LayerExit    Layer = "exit"
	LayerMarks   Layer = "marks"
	LayerKernel  Layer = "kernel"
	LayerLearned Layer = "learned prompt"
	LayerSettled Layer = "settling"
	LayerTimeout Layer = "timeout"
	LayerRequest Layer = "request" // the caller's own condition: pattern, change, none
)

// A Verdict says that a wait is over and why, or when to look again.
type Verdict struct {
	Done   bool
	Reason Reason
	Layer  Layer
	// Why is the evidence in words, for the tools' explain argument.
	Why []string
	// Again is when to decide again although nothing has happened; zero when
	// only an event can change the verdict. Set when Done is false.
	Again time.Time
	// Look asks the caller to look at the kernel before it decides again.
	Look bool
}
