package kernel

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// errNoPipes is returned for a child whose input or output is not a pipe.
var errNoPipes = errors.New("its standard input and output are not pipes")

// NewPipeLooker returns a Looker for a child that leads a session and has pipes as standard input
// and output. In its Views, the child's process group is the foreground group, the pipe that the
// child reads is the terminal, and the Modes are not known. NewPipeLooker fails for a child that
// has ended or has no pipes.
func NewPipeLooker(child int) (*Looker, error) {
	l := newLooker(child)
	l.dev.pipe = string(l.procfs.link(child, 0))
	l.output = string(l.procfs.link(child, 1))
	if !strings.HasPrefix(l.dev.pipe, "pipe:") || !strings.HasPrefix(l.output, "pipe:") {
		return nil, errNoPipes
	}
	return l, nil
}

// isEmpty reports whether descriptor fd of a process is the pipe of this name, and the
// pipe is empty. fd may be either end of the pipe.
func (p *procfs) isEmpty(pid, fd int, pipe string) bool {
	if string(p.link(pid, fd)) != pipe {
		return false
	}
	end, err := copyDescriptor(pid, fd)
	if err != nil {
		return false
	}
	defer unix.Close(end)
	n, err := unix.IoctlGetInt(end, unix.TIOCINQ) // FIONREAD
	return err == nil && n == 0
}
