package keeper

import (
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/child"
)

// hello is the first message of a server.
type hello struct {
	Version int  `json:"version"`
	PID     int  `json:"pid"`
	Replace bool `json:"replace"` // take over from the server that is connected
}

// welcome is the keeper's answer to hello. The shared memory of the gauges is passed with it.
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
	Slot   int    `json:"slot"` // number of its gauge
	Pipe   bool   `json:"pipe"`
}

// attached describes a child whose stream begins. The terminal's master is passed with it.
type attached struct {
	about
	child.Found
}

// end asks the keeper to end a child.
type end struct {
	Signal syscall.Signal `json:"signal"`
	Grace  time.Duration  `json:"grace"`
}

// answer is the keeper's answer to a request.
type answer struct {
	attached
	N     int    `json:"n"`
	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"` // key in errorCodes of an error that callers distinguish
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
		return keeperError{a.Error, known}
	}
	return errors.New(a.Error)
}

// A keeperError is an error from the keeper that wraps one of errorCodes.
type keeperError struct {
	text string
	is   error
}

// Error returns the text.
func (e keeperError) Error() string { return e.text }

// Unwrap returns the wrapped error.
func (e keeperError) Unwrap() error { return e.is }
