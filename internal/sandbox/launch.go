package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// launcherArg is the first argument of a launcher, and insideArg the second one of a launcher
// inside bwrap's namespaces.
const (
	launcherArg = "__sandbox"
	insideArg   = "inside"
)

// launcherPath is the file to execute as a launcher: this executable, even if an upgrade has
// replaced its file meanwhile.
const launcherPath = "/proc/self/exe"

// Descriptors of a launcher: its job, the pipe for its report, and the standard error of bwrap.
const (
	jobFD    = 3
	reportFD = 4
	errorsFD = 5
)

// executing is the text that a launcher writes to its report just before it executes the program.
const executing = "."

// launchLimit is how long a launcher may take. Usually, milliseconds suffice.
const launchLimit = 20 * time.Second

// maxReport is the maximum size of a launcher's report, in bytes.
const maxReport = 16 << 10

// A failure is a launcher's report that it cannot start the program.
type failure struct {
	Text  string        `json:"text"`
	Errno syscall.Errno `json:"errno,omitempty"` // of execve(2); 0 if an earlier step failed
}

// A Launch is a program that is being started.
type Launch struct {
	path         string   // the program's file
	job          *os.File // the job, which the launcher reads
	report       *os.File // the reading end of the pipe for the report
	reportWriter *os.File // the writing end, for the launcher
	errs         *os.File // the standard error of bwrap
}

// Prepare changes cmd, which must not be started yet, so that cmd starts a launcher. The job that the
// launcher reads names cmd's program. The launcher's environment is empty, so that no variable affects
// the launcher. Call Await after cmd.Start, even if cmd.Start fails.
func Prepare(cmd *exec.Cmd, j Job) (*Launch, error) {
	var err error
	if j.Policy, err = j.Policy.Check(); err != nil {
		return nil, err
	}
	j.Path, j.Args, j.Env = cmd.Path, cmd.Args, cmd.Env
	if j.Policy.Backend == Bwrap {
		j.Bwrap = Probe().Bwrap
	}
	data, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	l := &Launch{path: cmd.Path}
	if l.job, err = jobFile(data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEnforce, err)
	}
	if l.errs, err = jobFile(nil); err != nil {
		return nil, errors.Join(err, l.job.Close())
	}
	if l.report, l.reportWriter, err = os.Pipe(); err != nil {
		return nil, errors.Join(err, l.job.Close(), l.errs.Close())
	}
	cmd.Path, cmd.Args, cmd.Env = launcherPath, []string{"glasstty", launcherArg}, []string{}
	cmd.ExtraFiles = []*os.File{l.job, l.reportWriter, l.errs}
	cmd.SysProcAttr = namespaces(j.Policy, cmd.SysProcAttr)
	return l, nil
}

// Await waits for the launcher's report, and returns nil when the program runs. If the program itself
// cannot be executed, the error is the one that exec.Cmd.Start would return without a sandbox. After
// an error, the caller must kill and reap the launcher. started says whether cmd.Start has succeeded.
// If it has not, there is no launcher, and Await only closes the files.
func (l *Launch) Await(started bool) error {
	err := errors.Join(l.job.Close(), l.reportWriter.Close())
	defer l.report.Close()
	defer l.errs.Close()
	if !started || err != nil {
		return err
	}
	if err := l.report.SetReadDeadline(time.Now().Add(launchLimit)); err != nil {
		return err
	}
	report, err := io.ReadAll(io.LimitReader(l.report, maxReport))
	switch {
	case err != nil:
		return fmt.Errorf("%w: the launcher has not begun the program within %v: %w", ErrEnforce, launchLimit, err)
	case string(report) == executing:
		return nil
	case len(report) == 0:
		errs, err := io.ReadAll(io.NewSectionReader(l.errs, 0, maxReport))
		return errors.Join(fmt.Errorf("%w: the launcher has ended: %s", ErrEnforce, strings.TrimSpace(string(errs))), err)
	}
	var f failure
	if err := json.Unmarshal(bytes.TrimPrefix(report, []byte(executing)), &f); err != nil {
		return fmt.Errorf("%w: the launcher said %q", ErrEnforce, report)
	}
	if f.Errno != 0 {
		return &fs.PathError{Op: "fork/exec", Path: l.path, Err: f.Errno}
	}
	return fmt.Errorf("%w: %s", ErrEnforce, f.Text)
}
