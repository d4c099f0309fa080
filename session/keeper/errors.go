package keeper

import "errors"

// Errors that callers distinguish.
var (
	// ErrBusy is returned when another server is connected to the keeper and Replace is not set.
	ErrBusy = errors.New("another server uses the keeper")
	// ErrVersion is returned when the keeper has another version of the protocol.
	ErrVersion = errors.New("the keeper has another version")
	// ErrReplaced is returned when another server has taken over the keeper.
	ErrReplaced = errors.New("another server has taken over")
	// ErrWithin is returned to a server that runs in one of the keeper's sessions, because the
	// server would control the session in which it runs.
	ErrWithin = errors.New("this server runs in one of the sessions that it would take over")
	// ErrUnredacted is returned to a server that wants secrets hidden in the logs, if the keeper
	// was started without hiding them.
	ErrUnredacted = errors.New("the programs of the earlier server are logged with their secrets")
	// errMessage is returned for an unexpected message.
	errMessage = errors.New("unexpected message")
)
