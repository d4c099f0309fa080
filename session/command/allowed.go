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

// Allowed returns the file to execute, or an error if list does not allow starting the program. command is
// the name with which the caller gave the program, file the file found for it, env the additional
// variables, and dir the working directory, without symbolic links. Unless list allows everything, Allowed
// resolves symbolic links in the returned file, because a link might change after the check. It also
// searches the arguments for blocked programs, as in env rm or bash -c "rm x".
func Allowed(list *allowlist.List, file, command string, args []string, dir string, env map[string]string) (resolved string, err error) {
	if list.AllowsAll() {
		return file, nil
	}
	if err := list.CheckDir(dir); err != nil {
		return "", fmt.Errorf("start %q in %s: %w", command, dir, err)
	}
	if err := list.CheckEnvironment(env); err != nil {
		return "", fmt.Errorf("start %q: %w", command, err)
	}
	if resolved, err = filepath.EvalSymlinks(file); err != nil {
		return "", fmt.Errorf("%w %q: %w", ErrRun, command, err)
	}
	err = list.CheckProgram(resolved, args)
	if err == nil {
		err = list.CheckBlocked(file, args) // by the name before links are resolved
	}
	if err != nil {
		return "", fmt.Errorf("start %q: %w", command, err)
	}
	if !list.HasBlockRules() {
		return resolved, nil
	}
	argv := append([]string{file}, args...)
	commands := danger.Commands(argv)
	if by := interpreter(resolved); by != nil {
		commands = append(commands, danger.Commands(append(by, argv...))...)
	}
	for _, cmd := range commands {
		if err := list.CheckBlocked(cmd[0], cmd[1:]); err != nil {
			return "", fmt.Errorf("start %q: %w", command, err)
		}
	}
	return resolved, nil
}

// maxShebang is the number of bytes that the kernel reads of a script to find its interpreter
// (BINPRM_BUF_SIZE).
const maxShebang = 256

// interpreter returns the command in the first line of a script, which the kernel runs with the
// script as its argument. For any other file, it returns nil.
func interpreter(file string) []string {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0) // O_NONBLOCK: opening a FIFO does not wait for a writer
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
