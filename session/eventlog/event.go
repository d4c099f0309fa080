package eventlog

import (
	"encoding/json"
	"time"
)

// Kind says what an Event is, by the letter that asciicast v3 gives it.
type Kind byte

// The kinds of event. Note is our own.
const (
	Output Kind = 'o'
	Input  Kind = 'i'
	Resize Kind = 'r'
	Marker Kind = 'm'
	Exit   Kind = 'x'
	Note   Kind = 'n'
)

// kindExact is the code of the line that stands before an event whose bytes are
// not its text.
const kindExact Kind = 'b'

// An Event is one thing that happened to a session.
type Event struct {
	Kind Kind
	// At is the time since the session began, by a monotonic clock. It never goes
	// back within a log, and is exact to the microsecond.
	At time.Duration
	// Data are the bytes of Output and Input, the label of a Marker, and the JSON
	// of a Note. A reader's Data are valid until the next event.
	Data []byte
	Name string // of a Note: letters
	Rows int    // of a Resize
	Cols int    // of a Resize
	Code int    // of an Exit

	// Offset and Next are where the event begins and where the next one does, as
	// log offsets. Readers set them; Append ignores them.
	Offset, Next int64
}

// An InputNote is the note "input" that stands before what one call types. It says
// what its bytes do not.
type InputNote struct {
	Number    int64  `json:"number"`              // counts the session's inputs from 1
	By        string `json:"by,omitempty"`        // who typed, as the server knows it
	Size      int    `json:"size"`                // bytes typed
	Secret    bool   `json:"secret,omitempty"`    // its bytes are in no event
	Call      string `json:"call,omitempty"`      // the name of the call; "" when it has none
	Echo      bool   `json:"echo,omitempty"`      // the terminal's line mode echoes it
	Submitted bool   `json:"submitted,omitempty"` // its last byte is Enter or a control character
	Edited    bool   `json:"edited,omitempty"`    // with keys whose echo cannot be foretold
	Pasted    bool   `json:"pasted,omitempty"`    // with a bracketed paste
	Apart     bool   `json:"apart,omitempty"`     // each part waits for the program to react to the one before
	Lines     int    `json:"lines,omitempty"`     // how often Enter is in it
	Prompt    int    `json:"prompt"`              // the cell at which the prompt before the cursor begins, -1 for none
	NoEcho    bool   `json:"no_echo,omitempty"`   // nothing of it is looked for on the screen
	// Text is what is typed without keys, where that is not what the first event has.
	Text *string `json:"text,omitempty"`
}

// A VerdictNote is the note "verdict": what the server has concluded about the program
// from its output. Prompts are learned from that.
type VerdictNote struct {
	Number int64  `json:"number"`           // counts the session's verdicts from 1
	Output int64  `json:"output"`           // bytes of output until then
	Inputs int64  `json:"inputs,omitempty"` // of the last input until then, see InputNote
	Reason string `json:"reason,omitempty"` // why an answer was complete; "" when all left of the cursor is a prompt
	Marks  bool   `json:"marks,omitempty"`  // the shell's marks said so
	New    bool   `json:"new,omitempty"`    // the program in front had not prompted before
}

// A MessageNote is the note "message": one message of a session's list.
type MessageNote struct {
	ID      string `json:"id"`
	Type    string `json:"type"` // input or output
	Person  string `json:"person,omitempty"`
	At      int64  `json:"at"`             // Unix microseconds
	Size    int    `json:"size"`           // bytes of the content, with those left out; of a secret, those typed
	Left    int    `json:"left,omitempty"` // bytes left out, which the content says
	Content string `json:"content"`
}

// The names of the notes that hold an InputNote, a VerdictNote and a MessageNote.
const (
	NoteInput   = "input"
	NoteVerdict = "verdict"
	NoteMessage = "message"
)

// NewMarker returns the event of a marker.
func NewMarker(label string) Event { return Event{Kind: Marker, Data: []byte(label)} }

// NewNote returns the event of a note, of which v is the content.
func NewNote(name string, v any) *Event {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain values
	}
	return &Event{Kind: Note, Name: name, Data: data}
}
