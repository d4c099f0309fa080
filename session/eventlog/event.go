package eventlog

import (
	"encoding/json"
	"time"
)

// Kind is the kind of an Event, by its letter in asciicast v3.
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

// kindExact is the code of the line before an event whose bytes differ from its text.
const kindExact Kind = 'b'

// An Event is something that happened in a session.
type Event struct {
	Kind Kind
	// At is the time since the session began, by a monotonic clock, in microseconds. It
	// never decreases within a log.
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

// An InputNote is the note "input" before the input of one call. It holds what the bytes
// do not tell.
type InputNote struct {
	Number    int64  `json:"number"`              // counts the session's inputs from 1
	By        string `json:"by,omitempty"`        // who typed, as the server knows it
	Size      int    `json:"size"`                // bytes typed
	Secret    bool   `json:"secret,omitempty"`    // its bytes are in no event
	Call      string `json:"call,omitempty"`      // the name of the call; "" when it has none
	Echo      bool   `json:"echo,omitempty"`      // the terminal echoes it in line mode
	Submitted bool   `json:"submitted,omitempty"` // its last byte is Enter or a control character
	Edited    bool   `json:"edited,omitempty"`    // with keys whose echo cannot be foretold
	Pasted    bool   `json:"pasted,omitempty"`    // with a bracketed paste
	Apart     bool   `json:"apart,omitempty"`     // each part waits for the program to react to the one before
	Lines     int    `json:"lines,omitempty"`     // how often Enter is in it
	Prompt    int    `json:"prompt"`              // the cell at which the prompt before the cursor begins, -1 for none
	NoEcho    bool   `json:"no_echo,omitempty"`   // its echo is not looked for on the screen
	// Text is the typed text without keys, if it differs from the data of the first event.
	Text *string `json:"text,omitempty"`
}

// A VerdictNote is the note "verdict": the server's conclusion that the program had
// answered. Prompts are learned from it.
type VerdictNote struct {
	Number int64  `json:"number"`           // counts the session's verdicts from 1
	Output int64  `json:"output"`           // bytes of output before it
	Inputs int64  `json:"inputs,omitempty"` // number of the last input before it, see InputNote
	Reason string `json:"reason,omitempty"` // why an answer was complete; "" when all left of the cursor is a prompt
	Marks  bool   `json:"marks,omitempty"`  // concluded from the shell's marks
	New    bool   `json:"new,omitempty"`    // the foreground program had not prompted before
}

// A MessageNote is the note "message": one message of a session's list.
type MessageNote struct {
	ID      string `json:"id"`
	Type    string `json:"type"` // input or output
	Person  string `json:"person,omitempty"`
	At      int64  `json:"at"`             // Unix microseconds
	Size    int    `json:"size"`           // bytes of the whole content; of a secret, the bytes typed
	Left    int    `json:"left,omitempty"` // bytes left out, which the content mentions
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

// NewNote returns the event of a note with the content v.
func NewNote(name string, v any) *Event {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain values
	}
	return &Event{Kind: Note, Name: name, Data: data}
}
