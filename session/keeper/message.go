package keeper

import (
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// hello is the first message of a server.
type hello struct {
	Version int  `json:"version"`
	PID     int  `json:"pid"`
	Replace bool `json:"replace"` // take over from the server that is connected
}

// welcome is the keeper's answer, which comes with the shared memory of the gauges.
type welcome struct {
	Version  int     `json:"version"`
	PID      int     `json:"pid"`
	Server   int     `json:"server,omitempty"` // refused: this process is connected already
	Within   bool    `json:"within,omitempty"` // refused: the server runs in one of the keeper's sessions
	Children []about `json:"children"`
}

// about describes a child to a server.
type about struct {
	Number uint32 `json:"number"`
	ID     string `json:"id"`
	PID    int    `json:"pid"`
	Tag    string `json:"tag"`  // see child.Child
	Slot   int    `json:"slot"` // of its gauge
	Pipe   bool   `json:"pipe"`
}

// attached describes the beginning of a child's stream. It comes with the terminal's
// master.
type attached struct {
	about
	Total   int64  `json:"total"`            // bytes of output before it
	Logged  int64  `json:"logged"`           // the log offset of what comes next
	State   []byte `json:"state"`            // see child.Child.Keep
	Replies int64  `json:"replies"`          // see child.Input
	Exited  bool   `json:"exited,omitempty"` // it has ended
}

// end asks for a child's end.
type end struct {
	Signal syscall.Signal `json:"signal"`
	Grace  time.Duration  `json:"grace"`
}

// logStatus is an eventlog.Status.
type logStatus struct {
	Error string        `json:"error,omitempty"`
	Since time.Duration `json:"since"`
	Lost  int64         `json:"lost"`
}

// statusOf converts a log's status for the protocol.
func statusOf(s eventlog.Status) logStatus {
	out := logStatus{Since: s.Since, Lost: s.Lost}
	if s.Err != nil {
		out.Error = s.Err.Error()
	}
	return out
}

// answer is the keeper's answer to a request.
type answer struct {
	attached
	N     int    `json:"n"`
	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"` // of an error that callers distinguish
}

// errorCodes maps codes to the errors that callers distinguish.
func errorCodes() map[string]error {
	return map[string]error{"eof": io.EOF, "nopty": child.ErrNoPTY, "left": child.ErrLeftBehind}
}

// setError puts err into the answer.
func (a *answer) setError(err error) {
	if err == nil {
		return
	}
	a.Error = err.Error()
	for code, known := range errorCodes() {
		if errors.Is(err, known) {
			a.Code = code
		}
	}
}

// err returns the error in the answer.
func (a *answer) err() error {
	known, ok := errorCodes()[a.Code]
	switch {
	case a.Error == "":
		return nil
	case ok:
		return toldError{a.Error, known}
	}
	return errors.New(a.Error)
}

// A toldError is an error of the keeper that wraps one of errorCodes.
type toldError struct {
	text string
	is   error
}

// Error returns the text.
func (e toldError) Error() string { return e.text }

// Unwrap returns the wrapped error.
func (e toldError) Unwrap() error { return e.is }
