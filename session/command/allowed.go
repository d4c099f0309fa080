package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/internal/danger"
)

// A Start is a command to be started.
type Start struct {
	Command string
	Args    []string
	Dir     string // without links
	Env     map[string]string
}

// Allowed returns an error if a list does not allow a start of file. It returns the file to
// execute: if there are lists, the file that was judged, without links, because a link may
// change until then. Blocked programs are blocked in arguments too: env rm, bash -c "rm x".
func Allowed(list *allowlist.List, file string, o Start) (runs string, err error) {
	if list.Empty() {
		return file, nil
	}
	if err := list.Dir(o.Dir); err != nil {
		return "", fmt.Errorf("start %q in %s: %w", o.Command, o.Dir, err)
	}
	if err := list.Environment(o.Env); err != nil {
		return "", fmt.Errorf("start %q: %w", o.Command, err)
	}
	if runs, err = filepath.EvalSymlinks(file); err != nil {
		return "", fmt.Errorf("%w %q: %w", ErrRun, o.Command, err)
	}
	err = list.Program(runs, o.Args)
	if err == nil {
		err = list.Blocked(file, o.Args) // by the name with which it is called
	}
	if err != nil {
		return "", fmt.Errorf("start %q: %w", o.Command, err)
	}
	if !list.Blocks() {
		return runs, nil
	}
	argv := append([]string{file}, o.Args...)
	commands := danger.Commands(argv)
	if by := interpreter(runs); by != nil {
		commands = append(commands, danger.Commands(append(by, argv...))...)
	}
	for _, cmd := range commands {
		if err := list.Blocked(cmd[0], cmd[1:]); err != nil {
			return "", fmt.Errorf("start %q: %w", o.Command, err)
		}
	}
	return runs, nil
}

// maxShebang is how much of a script's first line the kernel reads
// (BINPRM_BUF_SIZE).
const maxShebang = 256

// interpreter returns the command in the first line of a script, which the kernel runs; nil
// for other files.
func interpreter(file string) []string {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0) // does not wait for a writer
	if err != nil {
		return nil // a script that cannot be read cannot run
	}
	defer f.Close()
	start := make([]byte, maxShebang)
	n, _ := io.ReadFull(f, start) // most scripts are longer, some shorter
	line, ok := strings.CutPrefix(string(start[:n]), "#!")
	if !ok {
		return nil
	}
	line, _, _ = strings.Cut(line, "\n")
	return strings.Fields(line)
}
