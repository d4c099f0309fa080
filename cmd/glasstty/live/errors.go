package live

import "errors"

// ErrVisitor is wrapped by the error of Options.Visitor when the person may not see the page.
var ErrVisitor = errors.New("not allowed in")

// ErrWithin is returned when a program that runs in one of the server's own sessions asks
// for something that only a person may do, such as typing.
var ErrWithin = errors.New("this runs in a session of that server, and may look and not touch; use a terminal or browser outside its sessions")

// ErrCut is returned by Client.Next when the connection ends without a reason.
var ErrCut = errors.New("it was ended or killed; glasstty ls lists the sessions that still run")

// errWatch is returned when a person who may only watch tries to type.
var errWatch = errors.New("this link is for watching only")

// errBusy is returned when a page has more than maxSlow slow requests under way.
var errBusy = errors.New("too many programs are being ended at once; try again")

// errDisplaced ends a page's connection when there are too many; package share chooses which.
var errDisplaced = errors.New("too many pages are open with this link or token; close some")
