package keeper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// readyFD is the descriptor on which a keeper says that it listens.
const readyFD = 3

// ready is what it says.
const ready = "ready\n"

// Spawn starts command as a keeper: a process in a session of its own, which
// outlives this one. It returns when the keeper has called Ready. What the keeper
// says beside that goes to errs, where that is not nil.
func Spawn(ctx context.Context, command []string, errs *os.File) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = "/"    // it must not hold a file system
	if errs != nil { // a nil *os.File would be no descriptor 2 at all
		cmd.Stderr = errs
	}
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = w.Close() // the keeper has its own
	if err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // reaps it, should it end before us
	defer context.AfterFunc(ctx, func() { _ = r.Close() })()
	said, err := io.ReadAll(r)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case string(said) == ready:
		return nil
	case err == nil && len(said) > 0:
		return errors.New(strings.TrimSpace(string(said)))
	}
	return errors.Join(fmt.Errorf("%s ended without a word; try again", command[0]), err)
}

// Ready tells the process that has started this keeper that it listens, or why it
// does not. It does nothing for one that was started by hand.
func Ready(failed error) {
	f := os.NewFile(readyFD, "ready")
	if f == nil {
		return
	}
	text := ready
	if failed != nil {
		text = failed.Error()
	}
	_, _ = io.WriteString(f, text) // nobody may be there
	_ = f.Close()
}
