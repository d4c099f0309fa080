package audit

import "errors"

var (
	// ErrWrite is returned when a line cannot be written and must be.
	ErrWrite = errors.New("the audit log cannot be written")
	// ErrKey is returned when a file's last line was written with another key, or
	// with none.
	ErrKey = errors.New("the audit log was written with another key, or with none")
	// ErrChain is returned when a line is not what was written.
	ErrChain = errors.New("the audit log is not what was written")
)
