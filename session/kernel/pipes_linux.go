package kernel

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// errNoPipes is returned for a child whose input or output is not a pipe.
var errNoPipes = errors.New("its standard input and output are not pipes")

// NewPipeLooker returns a Looker for a child that leads its own session and has pipes as
// standard input and output. The child's process group takes the place of the
// foreground group, and the pipe that it reads the place of the terminal. A View has no
// Modes. It fails for a child that has ended, or has no pipes.
func NewPipeLooker(child int) (*Looker, error) {
	in, err := descriptorName(child, 0)
	if err != nil {
		return nil, err
	}
	out, err := descriptorName(child, 1)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(in, "pipe:") || !strings.HasPrefix(out, "pipe:") {
		return nil, errNoPipes
	}
	l := newLooker(child)
	l.dev, l.output = device{pipe: in}, out
	return l, nil
}

// descriptorName returns the name of the file behind a descriptor of a process.
func descriptorName(pid, fd int) (string, error) {
	return os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/" + strconv.Itoa(fd))
}

// pipesEmpty reports whether all input and all output have been read. It reports false
// for a child that has redirected its own input or output.
func (l *Looker) pipesEmpty() bool {
	return isEmpty(l.child, 0, l.dev.pipe) && isEmpty(l.child, 1, l.output)
}

// isEmpty reports whether the pipe of this name, which a process has as fd, is empty.
// Either end of a pipe can be asked (pipe(7)).
func isEmpty(pid, fd int, pipe string) bool {
	if name, err := descriptorName(pid, fd); err != nil || name != pipe {
		return false
	}
	end, err := borrow(pid, fd)
	if err != nil {
		return false
	}
	defer unix.Close(end)
	n, err := unix.IoctlGetInt(end, unix.TIOCINQ) // FIONREAD
	return err == nil && n == 0
}
