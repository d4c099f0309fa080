package kernel

import (
	"errors"
	"os"
)

// A Looker takes looks at one terminal. On this system it sees only the terminal itself,
// not what the processes on it wait for.
type Looker struct{ master *os.File }

// NewLooker returns a Looker for the terminal with this master.
func NewLooker(master *os.File, _ int) (*Looker, error) { return &Looker{master}, nil }

// NewPipeLooker fails: this system does not report what a process reads.
func NewPipeLooker(int) (*Looker, error) { return nil, errors.ErrUnsupported }

// Look returns a View with the settings, the foreground group and whether output is left.
func (l *Looker) Look() View {
	t := LookTTY(l.master)
	return View{Modes: t.Modes, Foreground: Process{PGID: t.Group}, Drained: t.Known && t.Pending == 0}
}

// Close does nothing, since a Looker keeps no files open on this system.
func (l *Looker) Close() {}

// UnreadInput reports false: this system does not show whether input has reached its reader.
func UnreadInput(*os.File) (n int, ok bool) { return 0, false }

// AncestorsOnly returns false: this system never shows what a program waits for.
func AncestorsOnly() bool { return false }
