package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
)

// Asked reports whether this process was started as a launcher, by its arguments.
func Asked(args []string) bool { return len(args) == 2 && args[1] == launcherArg }

// Main is a launcher: it puts itself into the sandbox and becomes the program. It
// returns only when that has failed, with the exit status. A program calls it
// first of all when Asked.
func Main() int {
	// Rules set on a thread pass to the program that the thread executes.
	runtime.LockOSThread()
	said := os.NewFile(saidFD, "said")
	err := launch(said)
	f := failure{Text: err.Error()}
	var exec execError
	if errors.As(err, &exec) {
		f.Errno = exec.errno
	}
	if err := json.NewEncoder(said).Encode(f); err != nil {
		fmt.Fprintln(os.Stderr, "glasstty:", f.Text) // it was started by hand
	}
	return 126 // of a shell that cannot execute a program
}

// An execError says that the program could not be executed, all else being ready.
type execError struct{ errno syscall.Errno }

// Error returns the reason.
func (e execError) Error() string { return e.errno.Error() }

// launch does what Main says.
func launch(said io.Writer) error {
	j, err := readJob()
	if err != nil {
		return err
	}
	if err := enforce(j); err != nil {
		return err
	}
	if _, err := io.WriteString(said, begun); err != nil {
		return err
	}
	err = syscall.Exec(j.Path, j.Args, j.Env)
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return execError{errno}
	}
	return err
}

// readJob reads the job, which a second launcher reads again.
func readJob() (*Job, error) {
	f := os.NewFile(jobFD, "job")
	if f == nil {
		return nil, errors.New("read the job: there is none; the server starts the launcher")
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the job: there is none; the server starts the launcher: %w", err)
	}
	var j Job
	if err := json.NewDecoder(io.NewSectionReader(f, 0, info.Size())).Decode(&j); err != nil {
		return nil, fmt.Errorf("read the job: %w", err)
	}
	return &j, nil
}
