package emulator

// EventKind says what an Event reports.
type EventKind uint8

// The kinds of event.
const (
	EventBell           EventKind = iota // BEL
	EventTitle                           // OSC 0, 2; Text is the title
	EventCwd                             // OSC 7, OSC 1337 CurrentDir; Text is what the program sent (a file URL or path)
	EventNotification                    // OSC 9, 99, 777; Text is the message
	EventClipboard                       // OSC 52 write; Text is the decoded content
	EventProgress                        // OSC 9;4; Text is "normal 40", "error 40", "indeterminate", "paused 40" or "" for none
	EventMark                            // OSC 133; see Mark
	EventBracketedPaste                  // DECSET 2004, with which line editors begin a prompt; see Mark, whose Kind is 0
	EventUpdate                          // DECSET 2026: a synchronized update begins
)

// An Event is something that the program told its terminal and that is not on
// the screen. Events queue in the Terminal up to MaxEvents; the oldest go
// first.
type Event struct {
	Kind EventKind
	Text string
	Mark Mark // for EventMark and EventBracketedPaste
}

// MarkKind is the letter of an OSC 133 mark (FinalTerm, "semantic prompts").
type MarkKind byte

// The marks.
const (
	MarkPromptStart  MarkKind = 'A'
	MarkCommandStart MarkKind = 'B' // the prompt ends, typed text begins
	MarkOutputStart  MarkKind = 'C'
	MarkCommandDone  MarkKind = 'D'
)

// A Mark is one OSC 133 mark and the place in the text where it came.
type Mark struct {
	Kind   MarkKind
	Params []string // what followed the letter, split at ';', bounded
	At     Position
	Offset int64 // child bytes that this Terminal had consumed when the mark ended
}
