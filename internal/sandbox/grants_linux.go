package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// grants maps rights to the paths to which they are granted. Landlock can only allow, and only
// whole hierarchies, so a file is hidden by granting everything next to it one by one. Files
// that are created next to it later cannot be read.
type grants map[rights][]string

// commonDevices are harmless devices.
var commonDevices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// newGrants returns the grants for a job.
func newGrants(j *Job) (grants, error) {
	g := grants{deviceRights: slices.Clone(commonDevices)}
	p := j.Policy
	if own := ownTerminal(); own != "" {
		g.add(deviceRights, own)
	}
	hidden := []string{"/dev"}
	for _, path := range p.Hide {
		if !within(path, "/proc") { // a path in /proc stands for a pipe, which has no path of its own
			hidden = append(hidden, path)
		}
	}
	read := slices.Concat(systemDirs, p.Read, j.Readable)
	if len(p.Read) == 0 {
		g[listRights], read = []string{"/"}, append([]string{"/"}, j.Readable...)
	}
	for _, path := range read {
		g.read(path, hidden)
	}
	for _, path := range slices.Concat(p.Write, j.Writable) {
		if err := g.write(path); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// ownTerminal returns the path of the terminal on standard input, or "" if there is none.
// Terminals of other sessions are not granted, because a program could read their input.
func ownTerminal() string {
	name, err := os.Readlink("/proc/self/fd/0")
	if err != nil || !strings.HasPrefix(name, "/dev/") {
		return ""
	}
	own, err := os.Stdin.Stat()
	if err != nil {
		return ""
	}
	if there, err := os.Stat(name); err != nil || !os.SameFile(own, there) {
		return "" // the terminal is of another devpts, where name is another file
	}
	return name
}

// read grants reading path and everything below it, except for what is hidden.
func (g grants) read(path string, hidden []string) {
	info, err := os.Lstat(path)
	switch {
	case slices.ContainsFunc(hidden, func(h string) bool { return within(path, h) }):
	case err != nil || info.Mode()&os.ModeSymlink != 0: // access through a link needs rights to its target
	case !info.IsDir():
		g.add(readRights&fileRights, path)
	case slices.ContainsFunc(hidden, func(h string) bool { return within(h, path) }):
		entries, _ := os.ReadDir(path) // if this fails, the user may not list path, so there is nothing to grant
		for _, e := range entries {
			g.read(filepath.Join(path, e.Name()), hidden)
		}
	default:
		g.add(readRights, path)
	}
}

// Pin opens a path that the server has checked and that must not contain symbolic links. If a program
// of another session replaces the path later, name still leads to the opened file. If the path leads
// elsewhere already, the error wraps ErrMoved.
func Pin(path string) (fd int, name string, err error) {
	fd, err = unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, "", &os.PathError{Op: "open", Path: path, Err: err}
	}
	name = openFile(fd)
	if real, err := os.Readlink(name); err != nil || real != path {
		_ = unix.Close(fd) // fd is not used
		return 0, "", fmt.Errorf("%w: %s leads to %s now", ErrMoved, path, real)
	}
	return fd, name, nil
}

// openFile returns a path that leads to an open file.
func openFile(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// write grants writing path and everything below it.
func (g grants) write(path string) error {
	_, name, err := Pin(path) // the descriptor stays open until the program is executed
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	device := within(path, "/dev")
	if device {
		g.add(deviceRights, path)
	}
	if path == "/dev/pts" {
		g.add(deviceRights, "/dev/ptmx")
	}
	switch {
	case info.IsDir():
		g.add(writeRights, name)
	case !device:
		g.add(fileRights, name)
	}
	return nil
}

// add grants rights to a path.
func (g grants) add(to rights, path string) { g[to] = append(g[to], path) }
