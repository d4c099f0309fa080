package emulator

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of event.
const (
	EventBell           EventKind = iota // BEL
	EventTitle                           // OSC 0, 2; Text is the title
	EventCwd                             // OSC 7, 9;9, 633 P and 1337 CurrentDir; Text is what the program sent (a file URL or path)
	EventNotification                    // OSC 9, 99, 777; Text is the message
	EventClipboard                       // OSC 52 write; Text is the decoded content
	EventProgress                        // OSC 9;4; Text is a state, as "error 40" or "indeterminate", or "" at the end
	EventMark                            // OSC 133 or 633; see Mark
	EventBracketedPaste                  // DECSET 2004, sent by line editors at a prompt; Mark has At and Offset
	EventUpdate                          // DECSET 2026: a synchronized update begins
)

// An Event reports something that the program has sent and the screen does not show.
type Event struct {
	Kind EventKind
	Text string
	Mark Mark // for EventMark and EventBracketedPaste
}

// MarkKind is the letter of an OSC 133 or 633 mark (FinalTerm, "semantic prompts").
type MarkKind byte

// The marks.
const (
	MarkPromptStart  MarkKind = 'A'
	MarkCommandStart MarkKind = 'B' // the prompt ends, typed text begins
	MarkOutputStart  MarkKind = 'C'
	MarkCommandDone  MarkKind = 'D'
)

// A Mark is an OSC 133 or 633 mark and its position in the list of lines.
type Mark struct {
	Kind   MarkKind
	Params []string // the parameters after the letter, at most maxMarkParams
	At     Position // of the cursor, as Terminal.CursorPosition returns it
	Offset int64    // number of bytes written to the Terminal, including the mark
}
