package eventlog

import "time"

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

// An InputNote is the note "input" that stands before what one call types.
type InputNote struct {
	Number int64  `json:"number"`           // counts the session's inputs from 1
	By     string `json:"by,omitempty"`     // who typed, as the server knows it
	Size   int    `json:"size"`             // bytes typed
	Secret bool   `json:"secret,omitempty"` // its bytes are in no event
	Call   string `json:"call,omitempty"`   // names the call to its child's owner
	Echo   bool   `json:"echo,omitempty"`   // the terminal's line mode echoed it
}

// NoteInput is the name of the note that holds an InputNote.
const NoteInput = "input"
