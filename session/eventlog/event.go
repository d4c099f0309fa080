package eventlog

import (
	"encoding/json"
	"time"
)

// Kind is the kind of an Event: its letter in asciicast v3.
type Kind byte

// The kinds of event. Note is not one of asciicast's.
const (
	Output Kind = 'o'
	Input  Kind = 'i'
	Resize Kind = 'r'
	Marker Kind = 'm'
	Exit   Kind = 'x'
	Note   Kind = 'n'
)

// kindExact is the code of an exact line, which gives the exact bytes of the next event.
const kindExact Kind = 'b'

// An Event is something that happened in a session.
type Event struct {
	Kind Kind
	// At is the time since the session began, by a monotonic clock. A log stores whole microseconds,
	// and its times never decrease.
	At time.Duration
	// Data contains the bytes of Output and Input, the label of a Marker, or the JSON of a Note. When
	// a log is read, Data is valid until the next event.
	Data []byte
	Name string // of a Note: one word
	Rows int    // of a Resize
	Cols int    // of a Resize
	Code int    // of an Exit

	// Offset and Next are the log offsets of this event and the next. Reading a log sets them;
	// Append ignores them.
	Offset, Next int64
}

// A Stream is a point in a child's output. A server that takes the child over gets the output
// before the point from the log, and the output after it from the child's owner.
type Stream struct {
	Total     int64 `json:"total"`   // bytes of output before the point
	LogOffset int64 `json:"logged"`  // log offset at the end of the last event before the point
	Replies   int64 `json:"replies"` // bytes of output whose queries to the terminal were answered
}

// An InputNote is the note "input" before the input of one call. It describes what the input's
// bytes do not show.
type InputNote struct {
	Number    int64  `json:"number"`              // counts the session's inputs from 1
	By        string `json:"by,omitempty"`        // the name of the person who typed; empty for a tool call
	Size      int    `json:"size"`                // bytes typed
	Secret    bool   `json:"secret,omitempty"`    // the bytes are not logged
	Call      string `json:"call,omitempty"`      // the name of the call, or ""
	Echo      bool   `json:"echo,omitempty"`      // the terminal echoes the input in line mode
	Submitted bool   `json:"submitted,omitempty"` // the last byte is Enter or another control character, but not Tab or Escape
	Edited    bool   `json:"edited,omitempty"`    // contains keys whose echo cannot be predicted
	Pasted    bool   `json:"pasted,omitempty"`    // contains a bracketed paste
	OneByOne  bool   `json:"apart,omitempty"`     // each part waits until the program has reacted to the previous one
	Lines     int    `json:"lines,omitempty"`     // number of carriage returns, which Enter sends to a terminal
	Prompt    int    `json:"prompt"`              // cell at which the prompt before the cursor begins; -1 if there is none
	NoEcho    bool   `json:"no_echo,omitempty"`   // do not search the screen for the echo
	// Text is the typed text, including the characters that keys type. It is nil if the data of the
	// first Input event is the same.
	Text *string `json:"text,omitempty"`
}

// A VerdictNote is the note "verdict": the server's conclusion that the program had answered, or
// that the text left of the cursor is a prompt. Prompts are learned from it.
type VerdictNote struct {
	Number int64  `json:"number"`           // counts the session's verdicts from 1
	Output int64  `json:"output"`           // number of output bytes before the verdict
	Inputs int64  `json:"inputs,omitempty"` // InputNote.Number of the last input before the verdict
	Reason string `json:"reason,omitempty"` // why an answer was complete; "" if the whole line left of the cursor is a prompt
	Marks  bool   `json:"marks,omitempty"`  // the conclusion follows from the shell's marks
	New    bool   `json:"new,omitempty"`    // the foreground program had not prompted before
}

// A MessageNote is the note "message": one message of a session's list.
type MessageNote struct {
	ID      string `json:"id"`
	Type    string `json:"type"`             // input or output
	Person  string `json:"person,omitempty"` // the person who typed an input; empty for a tool call
	At      int64  `json:"at"`               // Unix microseconds
	Size    int    `json:"size"`             // bytes of the content before it was cut; for a secret, its length without Enter
	Left    int    `json:"left,omitempty"`   // bytes left out at the beginning; the content's first line says so
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
		panic(err) // a caller's mistake: v cannot be encoded
	}
	return &Event{Kind: Note, Name: name, Data: data}
}
