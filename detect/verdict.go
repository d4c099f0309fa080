package detect

import "time"

// A Reason says why a wait ended. Tool replies use the same words.
type Reason string

// The reasons. Exited, Prompt, AwaitingInput, Password and Matched are certain or nearly so, and
// Complete is true for them.
const (
	Exited        Reason = "exited"
	Prompt        Reason = "prompt"
	AwaitingInput Reason = "awaiting_input"
	Password      Reason = "password"
	Matched       Reason = "matched" // the caller's pattern matched
	Changed       Reason = "changed" // the terminal has changed, and the caller waits for a change
	Settled       Reason = "settled" // there was a pause; a guess
	Timeout       Reason = "timeout"
	Returned      Reason = "returned" // the caller did not wait
	Released      Reason = "released" // tool calls may type again
)

// Complete reports whether r means that the program has finished answering, or has written text
// that the caller's pattern matches.
func (r Reason) Complete() bool {
	switch r {
	case Exited, Prompt, AwaitingInput, Password, Matched:
		return true
	}
	return false
}

// A Layer is the kind of evidence that a verdict is based on.
type Layer string

// The layers, strongest first.
const (
	LayerExit    Layer = "exit"
	LayerMarks   Layer = "marks"
	LayerKernel  Layer = "kernel"
	LayerLearned Layer = "learned prompt"
	LayerSettled Layer = "settling"
	LayerTimeout Layer = "timeout"
	LayerRequest Layer = "request" // the caller waits for a pattern or a change, or does not wait
)

// A Verdict is the result of a decision: either that a wait is over and why, or when to decide
// again.
type Verdict struct {
	Done   bool   // the wait is over, because of Reason
	Reason Reason // empty unless Done
	Layer  Layer  // the layer that decided; empty unless Done
	// Why describes the evidence, for the tools' explain argument.
	Why []string
	// Again is when to look at the kernel and decide again, if nothing happens before. It is zero
	// if Done is set, or if only output, input or an exit can change the verdict.
	Again time.Time
}

// Requested returns the verdict for a wait that has ended by its caller's own condition.
func Requested(r Reason, why ...string) Verdict { return done(r, LayerRequest, why...) }
