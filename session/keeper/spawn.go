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

// readyFD is the descriptor on which a keeper reports that it listens.
const readyFD = 3

// ready is what a keeper writes to readyFD when it listens.
const ready = "ready\n"

// Spawn starts command as a keeper: a process in its own session, which outlives this
// process. Spawn returns when the keeper has called Ready. The keeper's standard error goes
// to errs unless errs is nil.
func Spawn(ctx context.Context, command []string, errs *os.File) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = "/"    // so that it does not keep a file system mounted
	if errs != nil { // a nil *os.File would close descriptor 2
		cmd.Stderr = errs
	}
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = w.Close() // the keeper has its own copy
	if err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // reaps the keeper if it ends before this process
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
	return errors.Join(fmt.Errorf("%s ended without a message; try again", command[0]), err)
}

// Ready reports to the process that started this keeper that it listens, or why it does
// not. It does nothing in a keeper that was started by hand.
func Ready(failed error) {
	f := os.NewFile(readyFD, "ready")
	if f == nil {
		return
	}
	text := ready
	if failed != nil {
		text = failed.Error()
	}
	_, _ = io.WriteString(f, text) // the reader may have ended
	_ = f.Close()
}
