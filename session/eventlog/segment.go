package eventlog

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// format is the version of the log's format. Increase it for a change that an older program
// would misread.
const format = 1

// The names of a log's files.
const (
	segmentSuffix = ".cast"
	stateSuffix   = ".state"
	MetaName      = "meta.json"
	nameDigits    = 12
)

// SegmentName returns the name of the segment that begins at a log offset.
func SegmentName(offset int64) string {
	return fmt.Sprintf("%0*d%s", nameDigits, offset, segmentSuffix)
}

// StateName returns the name of the saved state at the start of the segment at a log offset.
func StateName(offset int64) string { return fmt.Sprintf("%0*d%s", nameDigits, offset, stateSuffix) }

// segmentOffset returns the log offset in a segment's name.
func segmentOffset(name string) (int64, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok || len(digits) < nameDigits {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n >= 0
}

// A header is the first line of a segment: an asciicast v3 header with an extension.
type header struct {
	Version   int             `json:"version"`
	Term      headerTerm      `json:"term"`
	Time      int64           `json:"timestamp"` // when the segment began, Unix seconds
	Command   string          `json:"command,omitempty"`
	Extension headerExtension `json:"glasstty"`
}

// headerTerm is the terminal at the segment's start.
type headerTerm struct {
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Type string `json:"type"`
}

// headerExtension describes the session, and where the segment begins in it.
type headerExtension struct {
	Format  int     `json:"format"`
	Began   float64 `json:"began"`          // start of the session, Unix seconds
	Pipe    bool    `json:"pipe,omitempty"` // see Start.Pipe
	Session string  `json:"session,omitempty"`
	Offset  int64   `json:"offset"`         // log offset of the segment
	Time    float64 `json:"time"`           // seconds from the session's start to the segment's
	Output  int64   `json:"output"`         // bytes of output before the segment
	Lost    int64   `json:"lost,omitempty"` // log bytes lost just before the segment
}

// line returns the header as a line.
func (h *header) line() []byte {
	h.Version, h.Term.Type, h.Extension.Format = 3, "xterm-256color", format
	b, err := json.Marshal(h)
	if err != nil {
		panic(err) // cannot happen with these types
	}
	return append(b, '\n')
}

// A Segment is one file of a log.
type Segment struct {
	Offset   int64         // log offset of its first byte
	Size     int64         // bytes
	Began    time.Duration // the time from the session's start to the segment's
	Start    time.Time     // when the session began, by the wall clock
	Pipe     bool          // see Start.Pipe
	Rows     int           // of the terminal when the segment began
	Cols     int
	Output   int64 // bytes of output before the segment
	Lost     int64 // log bytes lost just before the segment
	HasState bool  // the segment has a saved state

	stateSize int64  // bytes of the saved state's file; 0 if there is none
	command   string // the session's command
	header    int64  // bytes of the segment's first line
}

// parseHeader reads a segment's first line, given without its line feed.
func parseHeader(line []byte) (h header, err error) {
	if err := json.Unmarshal(line, &h); err != nil || h.Version != 3 || h.Extension.Format == 0 {
		return header{}, fmt.Errorf("%w: the first line is %.80q, which is not the header of a segment", ErrNoLog, line)
	}
	if h.Extension.Format > format {
		return header{}, fmt.Errorf("log format %d: %w, which reads up to %d", h.Extension.Format, ErrVersion, format)
	}
	return h, nil
}

// segment returns the segment that the header describes.
func (h *header) segment() Segment {
	return Segment{
		Offset: h.Extension.Offset,
		Began:  time.Duration(h.Extension.Time * float64(time.Second)).Round(time.Microsecond),
		Start:  time.UnixMicro(int64(h.Extension.Began * 1e6)),
		Pipe:   h.Extension.Pipe,
		Rows:   h.Term.Rows, Cols: h.Term.Cols,
		Output:  h.Extension.Output,
		Lost:    h.Extension.Lost,
		command: h.Command,
	}
}
