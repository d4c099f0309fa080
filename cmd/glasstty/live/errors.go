package live

import "errors"

// ErrVisitor is wrapped by the error of Options.Visitor when the person may not see the page.
var ErrVisitor = errors.New("not allowed in")

// ErrWithin is returned when a program that runs in one of the server's own sessions asks
// for something that only a person may do, such as typing.
var ErrWithin = errors.New("programs in a session of that server may only watch; use a terminal or browser outside its sessions")

// ErrCut is returned by Client.Next when the connection ends without a reason.
var ErrCut = errors.New("it was stopped or killed; glasstty ls lists the sessions that still run")

// errWatch is returned when a person who may only watch tries to type.
var errWatch = errors.New("this link is only for watching")

// errBusy is returned when a page already has maxSlow slow requests running.
var errBusy = errors.New("too many programs are being ended at once; try again")

// errDisplaced ends the connection that package share chooses when there are too many.
var errDisplaced = errors.New("too many pages are open with this link or token; close some")
