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

// Asked reports whether this process was started as a launcher.
func Asked(args []string) bool { return len(args) == 2 && args[1] == launcherArg }

// Main puts this process into the sandbox and becomes the program. It returns, with an exit
// status, only if that fails. Call it before anything else if Asked.
func Main() int {
	// The program inherits the restrictions of the thread that executes it.
	runtime.LockOSThread()
	said := os.NewFile(saidFD, "said")
	err := launch(said)
	f := failure{Text: err.Error()}
	var exec execError
	if errors.As(err, &exec) {
		f.Errno = exec.errno
	}
	if err := json.NewEncoder(said).Encode(f); err != nil {
		fmt.Fprintln(os.Stderr, "glasstty:", f.Text) // the launcher was started by hand
	}
	return 126 // as a shell that cannot execute a program
}

// An execError is returned when only the execve of the program has failed.
type execError struct{ errno syscall.Errno }

// Error returns the reason.
func (e execError) Error() string { return e.errno.Error() }

// launch is Main without the report of an error.
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

// readJob reads the job.
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
