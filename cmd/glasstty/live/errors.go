package live

import "errors"

// ErrVisitor is returned by Options.Visitor when the sender of a request may not see the page.
var ErrVisitor = errors.New("you are not signed in; open a new link to the page (glasstty link)")

// ErrWithin is returned when a program that runs in a session of the server requests an action that only
// a person may take, such as typing.
var ErrWithin = errors.New("programs in a session of that server may only watch; use a terminal or browser outside its sessions")

// ErrDisconnected is returned by Client.Next when the connection ends without a reason.
var ErrDisconnected = errors.New("it was stopped or killed; glasstty ls lists the sessions that still run")

// errWatchOnly is returned when a person who may only watch tries to type.
var errWatchOnly = errors.New("this link is only for watching")

// errBusy is returned when a page already has maxSlow slow requests running.
var errBusy = errors.New("too many programs are being ended at once; try again")

// errDisplaced is returned when there are too many connections for a new one. It is also the reason with
// which an older connection is closed to make room for a new one; package share decides which.
var errDisplaced = errors.New("too many pages are open with this link or token; close some")
