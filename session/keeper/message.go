package keeper

import (
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// hello is what a server says first.
type hello struct {
	Version int  `json:"version"`
	PID     int  `json:"pid"`
	Replace bool `json:"replace"` // take over from the server that is connected
}

// welcome is the keeper's answer; with it comes the shared memory of the gauges.
type welcome struct {
	Version  int     `json:"version"`
	PID      int     `json:"pid"`
	Server   int     `json:"server,omitempty"` // the process connected already, when refused
	Within   bool    `json:"within,omitempty"` // refused: it was started by a child of the keeper
	Children []about `json:"children"`
}

// about is what a server is told of a child.
type about struct {
	Number uint32 `json:"number"`
	ID     string `json:"id"`
	PID    int    `json:"pid"`
	Tag    string `json:"tag"`  // see child.Child
	Slot   int    `json:"slot"` // of its gauge
	Pipe   bool   `json:"pipe"`
}

// attached is where a child's stream begins. With it comes the terminal's master.
type attached struct {
	about
	Total   int64  `json:"total"`            // bytes of output before it
	Logged  int64  `json:"logged"`           // the log offset of what comes next
	State   []byte `json:"state"`            // what the session had kept
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

// statusOf returns a log's status for the wire.
func statusOf(s eventlog.Status) logStatus {
	out := logStatus{Since: s.Since, Lost: s.Lost}
	if s.Err != nil {
		out.Error = s.Err.Error()
	}
	return out
}

// answer is the keeper's to a request.
type answer struct {
	attached
	N     int    `json:"n"`
	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"` // of an error that callers tell apart
}

// errorCodes are the errors that keep their identity over the wire.
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

// err returns the error that the answer tells.
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

// A toldError is an error of the keeper's side that is one of those known here.
type toldError struct {
	text string
	is   error
}

// Error returns the text.
func (e toldError) Error() string { return e.text }

// Unwrap returns the error known here.
func (e toldError) Unwrap() error { return e.is }
