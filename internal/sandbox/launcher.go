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

// IsLauncher reports whether this process was started as a launcher.
func IsLauncher(args []string) bool { return len(args) >= 2 && args[1] == launcherArg }

// Main puts this process into the sandbox and becomes the program. It returns an exit status if this
// fails. If IsLauncher returns true, call Main before anything else.
func Main() int {
	// The program inherits the restrictions of the thread that executes it.
	runtime.LockOSThread()
	report := os.NewFile(reportFD, "report")
	f := launch(report)
	if err := json.NewEncoder(report).Encode(f); err != nil {
		fmt.Fprintln(os.Stderr, "glasstty:", f.Text) // there is no pipe: a person has started the launcher
	}
	return 126 // like a shell that cannot execute a program
}

// launch does the work of Main, and returns the failure to report.
func launch(report io.Writer) failure {
	j, err := readJob()
	if err == nil {
		err = enforce(j, len(os.Args) > 2 && os.Args[2] == insideArg)
	}
	if err == nil {
		_, err = io.WriteString(report, executing)
	}
	if err != nil {
		return failure{Text: err.Error()}
	}
	err = syscall.Exec(j.Path, j.Args, j.Env)
	f := failure{Text: err.Error()}
	errors.As(err, &f.Errno) // Errno stays 0 if err has none
	return f
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
