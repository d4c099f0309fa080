package audit

import "errors"

var (
	// ErrWrite is returned if a line cannot be written and the log is required (Options.Required).
	ErrWrite = errors.New("the audit log cannot be written")
	// ErrKey is returned if the hash of a file's last line is wrong: usually, the line was written
	// with another key, or with none.
	ErrKey = errors.New("the audit log was written with another key, or with none")
	// ErrChain is returned if lines were changed, inserted, moved or removed.
	ErrChain = errors.New("the audit log is not what was written")
)
