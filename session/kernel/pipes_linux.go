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
// Modes. It fails for a child that has ended or has no pipes.
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

// isEmpty reports whether descriptor fd of a process is the pipe of this name, and the
// pipe is empty. It works with either end of a pipe.
func isEmpty(pid, fd int, pipe string) bool {
	if name, err := descriptorName(pid, fd); err != nil || name != pipe {
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
