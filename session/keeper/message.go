package keeper

import (
	"errors"
	"fmt"
	"io"
	"strings"
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
	Version  int         `json:"version"`
	PID      int         `json:"pid"`
	Server   int         `json:"server,omitempty"` // refused: this process is connected already
	Within   bool        `json:"within,omitempty"` // refused: the server runs in one of the keeper's sessions
	Children []childInfo `json:"children"`
}

// childInfo describes a child to a server.
type childInfo struct {
	Number uint32 `json:"number"`
	ID     string `json:"id"`
	PID    int    `json:"pid"`
	Tag    string `json:"tag"`  // see child.Child
	Slot   int    `json:"slot"` // number of its gauge
	Pipe   bool   `json:"pipe"`
}

// end asks the keeper to end a child.
type end struct {
	Signal syscall.Signal `json:"signal"`
	Grace  time.Duration  `json:"grace"`
}

// answer is the keeper's answer to a request. If the request begins the stream of a child, it
// describes the child, and the terminal's master is passed with it.
type answer struct {
	childInfo
	child.Found
	N     int    `json:"n"`
	Error string `json:"error,omitempty"`
}

// err returns the error in the answer. It wraps the error that callers distinguish, with which
// the text begins.
func (a *answer) err() error {
	if a.Error == "" {
		return nil
	}
	for _, known := range []error{io.EOF, child.ErrNoPTY, child.ErrLeftBehind} {
		if rest, ok := strings.CutPrefix(a.Error, known.Error()); ok {
			return fmt.Errorf("%w%s", known, rest)
		}
	}
	return errors.New(a.Error)
}
