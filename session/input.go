package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

const (
	// maxLine is how many bytes of one line the kernel keeps in line mode, the
	// newline not counted (N_TTY_BUF_SIZE - 1).
	maxLine = 4095
	// stallLimit is how long a call waits for a child that reads nothing.
	stallLimit = 2 * time.Second
	// typeLimit is how long a call that waits for no answer may type to a child
	// that reads slowly; it is below what clients wait for a silent call.
	typeLimit = 20 * time.Second
	// maxInput is the most one call may type.
	maxInput = 16 << 20
)

// A typing is one call's input and what became of it. Its fields below the
// line are guarded by the session's mutex.
type typing struct {
	by        *Person // nil for a tool call
	number    string  // names the call to the child's owner
	data      []byte
	lines     []string // the text as lines, for its echo; nil when secret
	ended     bool     // the last of lines was ended by Enter
	edited    bool     // keys were pressed whose echo cannot be foretold
	keyed     bool     // it came as keys or from the mouse, which the caller knows to be without Enter
	submitted bool     // the last byte was Enter or a control character
	secret    bool
	paste     int  // bytes at the beginning that are a bracketed paste, its marks included
	eof       bool // in pipe mode: close the child's input after it

	started  bool
	finished bool
	cut      bool              // what was queued of it was dropped; guarded by the queue's mutex
	at       emulator.Position // the cursor when the first byte was written
	onText   bool              // at is in the transcript
	offset   int64             // child bytes read by then
	revision uint64            // the screen's then
	kernel   bool              // the terminal echoes by itself
	running  bool              // a command ran by the shell's marks
	prompt   string            // the text left of the cursor then
}

// person returns the name of the person who typed, "" for a tool call.
func (c *typing) person() string {
	if c.by == nil {
		return ""
	}
	return c.by.String()
}

// tool reports whether a tool call types, and not a person.
func (c *typing) tool() bool { return c.by == nil }

// typed is the last input of the session.
type typed struct {
	by        bool   // somebody has typed
	person    string // the name of the person who did; "" for a tool call
	at        time.Time
	pos       emulator.Position
	onText    bool
	offset    int64
	submitted bool
	running   bool   // a command ran by the shell's marks
	prompt    string // the text left of the cursor then
}

// Type queues in for the child without waiting and returns the bytes accepted.
// It blocks only while the queue is full, and returns an error wrapping
// ErrInputFull, with the bytes accepted by then, when the child reads nothing, or
// ErrSlow when it has not taken them within typeLimit.
func (s *Session) Type(ctx context.Context, in Input) (int, error) {
	_, n, err := s.typeIn(ctx, in, typeLimit)
	return n, err
}

// typeIn is Type with a limit in time, for others that type and then for the child:
// what it takes to check the input is not counted against that. It also returns the
// record of the input, nil when in is empty.
func (s *Session) typeIn(ctx context.Context, in Input, limit time.Duration) (*typing, int, error) {
	if in.empty() {
		return nil, 0, nil
	}
	soon, cancel := context.WithTimeoutCause(ctx, limit, ErrSlow)
	defer cancel()
	// Whoever holds the turn gives it back soon: the wait for a child that
	// reads nothing is bounded, and ends when it exits.
	select {
	case s.queue.turn <- struct{}{}:
	case <-soon.Done():
		if context.Cause(soon) == ErrSlow {
			return nil, 0, fmt.Errorf("%w: another call was still typing; nothing was typed", ErrSlow)
		}
		return nil, 0, soon.Err()
	}
	defer func() { <-s.queue.turn }()
	if err := s.mayType(soon, in); err != nil {
		return nil, 0, err
	}
	return s.typeChecked(ctx, in, limit)
}

// put types in, for which the child has so much time. The caller has the turn.
func (s *Session) put(ctx context.Context, in Input, limit time.Duration) (*typing, int, error) {
	call, err := s.encode(in)
	if err != nil || call == nil {
		return nil, 0, err
	}
	call.number = s.inputName(ctx)
	if done := s.typedBefore(call.number); done != nil {
		return done, len(call.data), nil
	}
	if err := s.auditInput(ctx, in, call); err != nil {
		return nil, 0, err
	}
	soon, cancel := context.WithTimeoutCause(ctx, limit, ErrSlow)
	defer cancel()
	soon, done, err := s.untilStepIn(soon, call)
	if err != nil {
		return call, 0, err
	}
	defer done()
	n, err := s.feed(soon, call)
	if err == nil && s.m.opt.Outlive {
		s.awaitHandedOver(ctx, call)
	}
	return call, n, err
}

// handOverLimit is how long a call waits until the owner of the child has what it
// has typed: the owner outlives this process, our queue does not.
const handOverLimit = 250 * time.Millisecond

// awaitHandedOver waits until the child's owner has all of a call's input, or for
// a moment where the child does not read.
func (s *Session) awaitHandedOver(ctx context.Context, call *typing) {
	limit := time.NewTimer(handOverLimit)
	defer limit.Stop()
	for {
		s.mu.Lock()
		done, changed := call.finished || s.status != StatusRunning, s.changed
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// empty reports whether in types nothing.
func (in Input) empty() bool {
	return in.Text == "" && len(in.Keys) == 0 && !in.Enter && len(in.Mouse) == 0
}

// encode returns in as bytes for the modes now set, nil when it is empty.
func (s *Session) encode(in Input) (*typing, error) {
	tty := s.lookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status != StatusRunning {
		return nil, s.errExitedLocked("typed to")
	}
	if err := s.mayTypeLocked(in, tty); err != nil {
		return nil, err
	}
	if s.opt.Pipe {
		call, err := s.encodePipe(in)
		if err == nil {
			call.by, call.secret = in.by, in.secret || s.secretLocked(tty)
		}
		return call, err
	}
	modes := s.term.Modes()
	call := &typing{by: in.by, secret: in.secret || s.secretLocked(tty), keyed: len(in.Keys) > 0 || len(in.Mouse) > 0}
	var text strings.Builder
	if in.Paste {
		call.data = append(call.data, emulator.EncodePaste(in.Text, modes)...)
		if modes.BracketedPaste {
			call.paste = len(call.data)
		}
	} else {
		call.data = append(call.data, emulator.EncodeText(in.Text, modes)...)
	}
	text.WriteString(in.Text)
	for _, k := range in.Keys {
		call.addKey(k, modes, &text)
	}
	for _, e := range in.Mouse {
		b, err := emulator.EncodeMouse(e, modes)
		if err != nil {
			return nil, fmt.Errorf("session %s (%s): %w", s.id, s.opt.Command, err)
		}
		call.data, call.edited = append(call.data, b...), true
	}
	if in.Enter {
		call.data = append(call.data, emulator.EncodeKey(emulator.Key{Code: emulator.KeyEnter}, modes)...)
		text.WriteByte('\r')
	}
	if len(call.data) == 0 {
		return nil, nil
	}
	if len(call.data) > maxInput {
		return nil, fmt.Errorf("%w: the input is %d bytes; one call types at most %d", ErrArgument, len(call.data), maxInput)
	}
	if tty.known && tty.canonical {
		if err := checkLines(call.data); err != nil {
			return nil, err
		}
	}
	call.note(text.String())
	return call, nil
}

// addKey appends a key press to the call.
func (c *typing) addKey(k KeyPress, modes emulator.Modes, text *strings.Builder) {
	if k.Text != "" {
		c.data = append(c.data, emulator.EncodeText(k.Text, modes)...)
		text.WriteString(k.Text)
		return
	}
	press := emulator.EncodeKey(k.Key, modes)
	for range max(k.Repeat, 1) {
		c.data = append(c.data, press...)
		switch {
		case k.Key.Code == emulator.KeyEnter && k.Key.Mods == 0:
			text.WriteByte('\r')
		case k.Key.Code == emulator.KeyRune && k.Key.Mods&^emulator.Shift == 0:
			text.WriteRune(k.Key.Rune)
		default:
			c.edited = true
		}
	}
}

// maxEchoText is how much typed text is remembered to recognise its echo.
const maxEchoText = 64 << 10

// note sets what can be said of the call's text: its lines and its end.
func (c *typing) note(text string) {
	last := c.data[len(c.data)-1]
	c.submitted = last < ' ' && last != '\t' && last != '\x1b' || last == 0x7f && c.edited
	if c.secret || len(text) > maxEchoText {
		return
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	c.lines = strings.Split(text, "\n")
	if n := len(c.lines); n > 1 && c.lines[n-1] == "" {
		c.lines, c.ended = c.lines[:n-1], true
	}
}

// checkLines reports a line that the kernel would cut in line mode.
func checkLines(data []byte) error {
	n := 0
	for i, c := range data {
		if c == '\r' || c == '\n' {
			n = 0
			continue
		}
		if n++; n > maxLine {
			end := i + 1
			for end < len(data) && data[end] != '\r' && data[end] != '\n' {
				end++
			}
			return fmt.Errorf("%w: the program reads whole lines, of which the kernel keeps %d bytes, and one line of the text has %d; nothing was typed: break the line, or write the text to a file and let the program read that",
				ErrLongLine, maxLine, n+end-i-1)
		}
	}
	return nil
}

// secretLocked reports whether what is typed now is a secret: the terminal is
// set as for a password, or the last wait found that one is asked for.
func (s *Session) secretLocked(tty ttyState) bool {
	return tty.known && tty.canonical && !tty.echo || s.lastReason == detect.Password
}
