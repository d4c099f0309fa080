package doctor

import (
	"errors"
)

// kernelAdvice explains that the kernel of macOS does not show what programs wait for.
const kernelAdvice = "macOS does not tell what a program waits for: waits end by marks, prompts and pauses"

// ptyNumbers returns an error: macOS has a limit but does not count pseudo-terminals.
func ptyNumbers() (used, limit int, err error) {
	return 0, 0, errors.ErrUnsupported
}
