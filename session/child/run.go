package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/redact"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/internal/tempdir"
	"github.com/glasstty/glasstty/session/eventlog"
)

const (
	// readSize limits the output that is logged and returned as one event, in bytes.
	readSize = 32 << 10
	// readMore is the number of bytes from which a read is followed by another one at once. A read of
	// a PTY returns at most 4 KB. When a program prints much, more is already waiting, and logging
	// all of it as one event takes one write instead of eight.
	readMore = 1 << 10
)

// A localChild is a child of this process.
type localChild struct {
	owner       *Local
	spec        Spec
	cmd         *exec.Cmd
	root                 // of its process tree
	out         *os.File // the terminal's master, or the pipe that the child writes to
	in          *os.File // out, or the pipe that the child reads
	gauge       *Gauge   // counts the output that was read
	releaseTemp func()   // ends the hold on spec.Temp, which keeps others from removing it

	buf    []byte // the output that Read returns
	logged int64  // the log's end after the last read; used by Read

	drained chan struct{} // closed by Read when nothing more will be read
	exited  chan struct{} // closed by wait when exit is set
	exit    Exit          // valid once exited is closed

	reaping sync.Mutex // guards reaped
	reaped  bool       // the child may have been reaped, so that another process may have its process ID

	killing atomic.Bool // enforce is killing the process tree

	typing      sync.Mutex // locked while a piece of input is written
	calls       *calls     // guarded by typing
	inputClosed bool       // the pipe that the child reads was closed; guarded by typing

	mu       sync.Mutex // guards the fields below, and the order of the log
	log      childLog
	secret   redact.TypedSecret // the secret that is being typed, if the log hides secrets
	exceeded Exceeded           // the limit for which the child was killed, if any
	pending  []Event            // resizes and segments that Read has not returned yet
}

// start starts the command.
func (c *localChild) start() error {
	c.group = c.owner.newGroup(c.tag, c.spec.Limits)
	c.group.startIn(c.cmd)
	err := c.startProcess()
	c.group.closeDir()
	if err != nil {
		c.group.remove()
		return err
	}
	c.pid = c.cmd.Process.Pid
	if p, ok := readProcess(c.pid); ok {
		c.started = p.started
	}
	ownChildren.Store(c.PID(), c)
	c.releaseTemp = tempdir.Hold(c.spec.Temp)
	c.gauge = c.owner.opt.Gauge(c.spec.Slot)
	c.buf = make([]byte, readSize)
	c.drained, c.exited = make(chan struct{}), make(chan struct{})
	c.owner.loops.Go(c.wait)
	return nil
}

// startProcess starts the command's process, in its sandbox if it has one. Without an error, it
// returns when the process executes the program.
func (c *localChild) startProcess() error {
	if c.spec.DirResolved {
		name, dir, err := openDir(c.spec.Dir)
		if err != nil {
			return err
		}
		defer dir.Close()
		c.cmd.Dir = name
	}
	if c.spec.Sandbox == nil {
		return c.startCommand()
	}
	launch, err := sandbox.Prepare(c.cmd, *c.spec.Sandbox)
	if err != nil {
		return err
	}
	if err = c.startCommand(); err != nil {
		return errors.Join(err, launch.Await(false))
	}
	if err = launch.Await(true); err != nil {
		_ = c.cmd.Process.Kill() // it may have ended
		_ = c.cmd.Wait()         // err, which Await returned, has the reason
		_, _ = c.out.Close(), c.in.Close()
	}
	return err
}

// startCommand starts the command on a terminal or on pipes.
func (c *localChild) startCommand() error {
	return startMarked(markOf(c.tag), func() (err error) {
		if c.spec.Pipe {
			c.out, c.in, err = startPipes(c.cmd)
			return err
		}
		c.out, err = startPTY(c.cmd, c.spec.Size)
		c.in = c.out
		return err
	})
}

// PID returns the child's process id.
func (c *localChild) PID() int { return c.pid }

// Tag returns the text that identifies the child's process tree.
func (c *localChild) Tag() string { return c.tag }

// Terminal returns the terminal's master, or nil on pipes.
func (c *localChild) Terminal() *os.File {
	if c.spec.Pipe {
		return nil
	}
	return c.out
}

// Ahead reports whether more than the first seen bytes of output were read. It waits for a read
// that is under way.
func (c *localChild) Ahead(seen int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gauge.Total() != seen
}

// Read waits for the next event.
func (c *localChild) Read() (Event, error) {
	conn, err := c.out.SyscallConn()
	if err != nil {
		return Event{}, c.endOfOutput()
	}
	for {
		if e, ok := c.next(); ok {
			return e, nil
		}
		n, failed := 0, error(nil)
		err := conn.Read(func(fd uintptr) (done bool) {
			n, failed = c.readOnce(int(fd))
			return n > 0 || failed != unix.EAGAIN
		})
		switch {
		case n > 0:
			c.flushLog()
			c.owner.watch.notify()
			return Event{Kind: Output, Data: c.buf[:n], Logged: c.logged}, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			// Resize has set a deadline to end this read. Remove the deadline.
			_ = c.out.SetReadDeadline(time.Time{})
		case err != nil || failed != unix.EINTR:
			// Close has closed c.out, or (EIO, an empty read) no process has the other end open.
			return Event{}, c.endOfOutput()
		}
	}
}

// endOfOutput reports the end of the output: it closes c.drained and returns io.EOF.
func (c *localChild) endOfOutput() error {
	select {
	case <-c.drained:
	default:
		close(c.drained)
	}
	return io.EOF
}

// readOnce reads without waiting, and counts and logs the output. It reads nothing, and returns EINTR,
// while Read has a resize or a segment to return first.
func (c *localChild) readOnce(fd int) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) > 0 {
		return 0, unix.EINTR
	}
	c.gauge.beginRead()
	n, err := readAll(fd, c.buf)
	if n > 0 {
		c.log.add(eventlog.Event{Kind: eventlog.Output, Data: c.buf[:n]})
		c.logged = c.log.End()
		c.rotateLocked()
	}
	c.gauge.endRead(n)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// readAll reads into p until p is full or a read returns fewer than readMore bytes. It returns an
// error only if it has read nothing.
func readAll(fd int, p []byte) (n int, err error) {
	for n < len(p) {
		got, err := unix.Read(fd, p[n:])
		if got <= 0 {
			if n > 0 {
				return n, nil // the next read returns the error again
			}
			return 0, err
		}
		if n += got; got < readMore {
			break
		}
	}
	return n, nil
}

// rotateLocked begins a segment of the log if one is due. Read returns the event unless too many wait.
func (c *localChild) rotateLocked() {
	if offset, ok := c.log.Rotate(time.Since(c.log.began)); ok && len(c.pending) < maxPending {
		c.pending = append(c.pending, Event{Kind: Segment, Offset: offset, Logged: c.log.End()})
	}
}

// next returns the next resize or segment for Read.
func (c *localChild) next() (Event, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 {
		return Event{}, false
	}
	e := c.pending[0]
	c.pending = c.pending[1:]
	return e, true
}

// maxPending limits the resizes and segments that wait for Read to return them.
const maxPending = 64

// Resize changes the terminal's size.
func (c *localChild) Resize(size Size) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spec.Pipe {
		return errors.New("pipes have no size")
	}
	if len(c.pending) >= maxPending {
		return fmt.Errorf("%d resizes wait for the reader", len(c.pending))
	}
	if err := setSize(c.out, size); err != nil {
		return err
	}
	c.log.add(eventlog.Event{Kind: eventlog.Resize, Rows: size.Rows, Cols: size.Cols})
	c.pending = append(c.pending, Event{Kind: Resize, Size: size, Logged: c.log.End()})
	return c.out.SetReadDeadline(time.Unix(0, 1)) // wakes Read
}

// Keep does nothing, because the child does not outlive this process.
func (c *localChild) Keep([]byte) {}

// Write types a piece of input.
func (c *localChild) Write(in Input) (int, error) {
	c.typing.Lock()
	defer c.typing.Unlock()
	if c.inputClosed {
		return 0, io.EOF
	}
	skip := c.calls.alreadyTyped(in.Call, in.Offset, len(in.Data))
	n, err := skip, error(nil)
	if data := in.Data[skip:]; len(data) > 0 || in.EOF && in.Note != nil {
		c.owner.watch.notify()
		// The input is logged first, because the echo may be read before the write returns.
		c.logInput(in, data)
		c.flushLog()
		var wrote int
		wrote, err = c.in.Write(data)
		n += wrote
		c.calls.typed(in.Call, in.Offset+int64(n))
	}
	if err == nil && in.EOF {
		c.inputClosed = true
		if err = c.in.Close(); err == nil {
			err = io.EOF
		}
	}
	return n, err
}

// logInput logs the note, and data unless in.Silent is set. If the log hides secrets, its Mask learns
// what a call types silently. Silent input without a call is a terminal's reply, not a secret.
func (c *localChild) logInput(in Input, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if in.Note != nil {
		c.log.add(*in.Note)
	}
	if m := c.owner.opt.Log.Mask; m != nil && in.Silent && in.Call != "" {
		c.secret.Add(m.Learn, data)
	}
	if !in.Silent && len(data) > 0 {
		c.secret.Clear()
		c.log.add(eventlog.Event{Kind: eventlog.Input, Data: data})
	}
}

// Note appends a note or a marker of the session.
func (c *localChild) Note(e eventlog.Event) {
	c.mu.Lock()
	c.log.add(e)
	c.mu.Unlock()
	if c.owner.opt.Log.Direct { // another process reads the log from disk
		c.flushLog()
	}
}

// Log flushes the log and returns its store.
func (c *localChild) Log() eventlog.Store {
	_ = c.log.Flush() // LogStatus reports the error
	return c.log.store
}

// LogStatus reports whether events are being dropped.
func (c *localChild) LogStatus() eventlog.Status { return c.log.Status() }

// wait reaps the child. Only wait sets c.exit and closes c.exited.
func (c *localChild) wait() {
	if awaitEnd(c.PID()) {
		c.beginReaping()
	}
	_ = c.cmd.Wait() // ProcessState says how the child ended
	code := exitCode(c.cmd.ProcessState)
	c.beginReaping()
	ownChildren.CompareAndDelete(c.PID(), c) // the next child may have its process ID
	stuck := false
	limit := time.NewTimer(DrainLimit)
	defer limit.Stop()
	select {
	case <-c.drained:
	case <-limit.C:
		stuck = true
	}
	c.mu.Lock()
	if peak, killed := c.group.outOfMemory(); killed && c.spec.Limits.Memory > 0 {
		c.exceededLocked(Exceeded{LimitMemory, max(peak, c.spec.Limits.Memory), c.spec.Limits.Memory})
	}
	c.rotateLocked() // begins a new segment if the log has failed: the disk may have room again
	c.log.add(eventlog.Event{Kind: eventlog.Exit, Code: code})
	over := c.exceeded
	c.mu.Unlock()
	c.flushLog()
	c.exit = Exit{Code: code, Stuck: stuck, Exceeded: over, At: time.Now()}
	close(c.exited)
	// The directory is removed last, because this may be slow. Files that are left do no harm.
	_ = os.RemoveAll(c.spec.Temp)
	c.releaseTemp()
}

// Wait waits for the child's end.
func (c *localChild) Wait() Exit {
	<-c.exited
	return c.exit
}

// running reports whether wait has not finished. It finishes when the child is reaped and its last
// output was read, or DrainLimit after the child was reaped.
func (c *localChild) running() bool {
	select {
	case <-c.exited:
		return false
	default:
		return true
	}
}

// Close closes the terminal or the pipes, and the log.
func (c *localChild) Close() {
	c.owner.watch.remove(c)
	_ = c.out.Close()
	_ = c.in.Close() // on a terminal, in and out are one file: closing it twice is harmless
	c.group.remove()
	_ = c.log.Close() // LogStatus reports the error
}

// exitCode returns a program's exit code, 128 plus the signal's number if a signal ended the
// program, or -1 if p is nil.
func exitCode(p *os.ProcessState) int {
	if p == nil {
		return -1
	}
	if ws, ok := p.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.ExitCode()
}
