package live

import "errors"

// ErrVisitor is what a Visitor function wraps when nobody may come in.
var ErrVisitor = errors.New("not allowed in")

// ErrWithin is returned to a program that runs in a session of the server and would do
// what is a person's to do.
var ErrWithin = errors.New("this runs in a session of that server, and may look and not touch: a person steps in from a terminal or browser that is in none")

// ErrCut is returned by Client.Next when the connection ends without a reason.
var ErrCut = errors.New("it was ended or killed; glasstty ls lists what goes on without it")

// errWatch is returned to who may not type.
var errWatch = errors.New("this link is for watching only")

// errBusy is returned when too much of what a page has asked for is not done yet.
var errBusy = errors.New("too many programs are being ended at once; try again")

// errDisplaced ends a page's connection when there are too many.
var errDisplaced = errors.New("too many pages are open with this link or token; close some")

// errNoText is returned for a message that is not text.
var errNoText = errors.New("messages are JSON text")
