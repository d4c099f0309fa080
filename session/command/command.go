package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/danger"
)

// Resolve returns the file that command names. It searches like execvp in a child whose directory
// is dir and whose PATH is path. If there is no such program, or it cannot be executed, the error
// wraps ErrRun, and says why the command cannot run and what to do.
func Resolve(command, dir, path string, args []string) (string, error) {
	if strings.TrimSpace(command) == "" {
		return "", fmt.Errorf("%w an empty command: name a program, such as \"bash\"", ErrRun)
	}
	if strings.ContainsRune(command, 0) {
		return "", fmt.Errorf("%w %q: a command cannot contain a NUL byte", ErrRun, command)
	}
	if strings.Contains(command, "/") {
		return resolvePath(command, dir, args)
	}
	var denied string
	for _, d := range filepath.SplitList(path) {
		if d == "" {
			d = "."
		}
		file := filepath.Join(d, command)
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		switch err := runnable(file); {
		case err == nil:
			return file, nil
		case errors.Is(err, errNotExecutable):
			denied = file
		}
	}
	if denied != "" {
		return "", fmt.Errorf("%w %q: %s is %w", ErrRun, command, denied, errNotExecutable)
	}
	return "", notFound(command, args, "found in PATH")
}

// resolvePath is Resolve for a command that is a path.
func resolvePath(command, dir string, args []string) (string, error) {
	file := command
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	err := runnable(file)
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return "", notFound(command, args, "there")
	}
	return "", fmt.Errorf("%w %q: %s is %w", ErrRun, command, file, err)
}

// notFound returns the error for a command that does not exist. where says where it was looked for.
// If command has several words, the error says how to pass a command line.
func notFound(command string, args []string, where string) error {
	first, rest, _ := strings.Cut(strings.TrimSpace(command), " ")
	if rest == "" {
		return fmt.Errorf("%w %q: the program is not %s; check the name, or give its full path", ErrRun, command, where)
	}
	shell := fmt.Sprintf("command \"bash\" with args %s", quoteArgs([]string{"-c", command}))
	if !strings.ContainsAny(command, "\n|&;<>()$`*?[]{}~#!") {
		commands := danger.Commands([]string{"sh", "-c", command}) // the shell, and what it would run
		if words := commands[min(1, len(commands)-1)]; words[0] == first {
			return fmt.Errorf("%w %q: it is a whole command line, and command is executed directly; use command %q with args %s, or %s",
				ErrRun, command, first, quoteArgs(append(words[1:], args...)), shell)
		}
	}
	return fmt.Errorf("%w %q: it is a shell command line, and command is executed directly; use %s", ErrRun, command, shell)
}

// quoteArgs formats args as a list of quoted words.
func quoteArgs(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = fmt.Sprintf("%q", a)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

var (
	errNotExecutable = errors.New("not executable; chmod +x it, or run it with its interpreter")
	errIsDir         = errors.New("a directory, not a program")
)

// runnable returns nil if file can be executed, or else the reason why not.
func runnable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errIsDir
	case info.Mode()&0o111 == 0:
		return errNotExecutable
	}
	return nil
}

// ResolveDir returns dir as an absolute path. If dir is empty, it returns the server's own
// directory. If a program cannot be started in dir, it returns an error.
func ResolveDir(dir string) (string, error) {
	if dir == "" {
		workingDir, err := os.Getwd()
		if err != nil {
			return "", fmt.Errorf("the directory that the server runs in is gone (%w); give a cwd", err)
		}
		return workingDir, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("cwd %q: %w", dir, err)
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("cwd %q does not exist; create it first or name another directory", abs)
	case err != nil:
		return "", fmt.Errorf("cwd %q: %w", abs, err)
	case !info.IsDir():
		return "", fmt.Errorf("cwd %q is not a directory", abs)
	}
	if err := unix.Access(abs, unix.X_OK); err != nil {
		return "", fmt.Errorf("cwd %q cannot be entered: %w", abs, err)
	}
	return abs, nil
}
