package audit

import "errors"

var (
	// ErrWrite is returned if a line of a required log cannot be written.
	ErrWrite = errors.New("the audit log cannot be written")
	// ErrKey is returned if a file's last line was written with another key, or with none.
	ErrKey = errors.New("the audit log was written with another key, or with none")
	// ErrChain is returned if a line is not what was written.
	ErrChain = errors.New("the audit log is not what was written")
)
