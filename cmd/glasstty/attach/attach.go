package attach

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/emulator"
)

// Options configure Run. They are flags of glasstty attach.
type Options struct {
	ReadOnly  bool   `short:"r" help:"Watch, do not type."`
	Force     bool   `help:"Take the keyboard from another person."`
	Resize    bool   `help:"Give the session this terminal's size."`
	DetachKey Key    `default:"ctrl+]" placeholder:"KEY" help:"The key that detaches (default ${default})."`
	Note      string `placeholder:"TEXT" help:"A note for the agent when this command ends."`
}

// A Key is a key and the name by which the person gave it.
type Key struct {
	key  emulator.Key
	name string
}

// UnmarshalText reads a key's name.
func (k *Key) UnmarshalText(text []byte) error {
	key, n, err := emulator.ParseKey(string(text))
	if err != nil {
		return err
	}
	if n != 1 {
		return fmt.Errorf("%q is not one key press", text)
	}
	*k = Key{key, string(text)}
	return nil
}

// An attachment shows a session in a terminal.
type attachment struct {
	id      string // of the session
	opt     Options
	client  *live.Client
	term    *Terminal
	view    view
	decoder keyDecoder

	messages    <-chan *live.Message
	lost        <-chan error // gets the error after the last message
	facts       *live.Facts  // nil before the first facts arrive
	failure     string       // why the last request failed, for the status line
	number      int64        // the number of the last request
	takeRequest int64        // the number of the request for the keyboard; 0 if there was none
	pendingKeys pendingKeys
}

// Run shows the session id in t until the person detaches, the program ends (ErrEnded), the connection
// is lost (ErrLost) or ctx ends (its cause). Unless o.ReadOnly is set, the person has the session's
// keyboard meanwhile. After detaching, the error is nil, or ErrUnanswered if input is unanswered.
func Run(ctx context.Context, c *live.Client, id string, o Options, t *Terminal) error {
	a := &attachment{id: id, opt: o, client: c, term: t, pendingKeys: pendingKeys{}}
	a.decoder.detach = emulator.EncodeKey(o.DetachKey.key, emulator.Modes{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := a.begin(ctx); err != nil {
		return err
	}
	err := a.loop(ctx)
	var b strings.Builder
	t.setModes(live.Modes{}, &b)
	return errors.Join(err, t.write(b.String()))
}

// begin requests the keyboard unless ReadOnly is set, the view's size if Resize is set, and the screen.
func (a *attachment) begin(ctx context.Context) error {
	a.resizeView()
	if !a.opt.ReadOnly {
		if err := a.send(ctx, live.Action{Do: "take", Force: a.opt.Force}); err != nil {
			return err
		}
		a.takeRequest = a.number
	}
	if a.opt.Resize {
		if err := a.resize(ctx); err != nil {
			return err
		}
	}
	return a.send(ctx, live.Action{Do: "watch", Large: a.id})
}

// send sends a request for the session.
func (a *attachment) send(ctx context.Context, d live.Action) error {
	a.number++
	d.N, d.ID = a.number, a.id
	if err := a.client.Send(ctx, d); err != nil {
		return a.lostError(err)
	}
	return nil
}

// lostError returns the error for a connection that ended with the error why.
func (a *attachment) lostError(why error) error {
	return a.pendingKeys.addTo(fmt.Errorf("%w: %w", ErrLost, why))
}

// resize requests that the session gets the size of the view.
func (a *attachment) resize(ctx context.Context) error {
	return a.send(ctx, live.Action{Do: "resize", Rows: a.view.rows, Cols: a.view.cols})
}

// resizeView gives the view the terminal's size. If the terminal has two rows or more, one is for the status line.
func (a *attachment) resizeView() {
	size := a.term.Size()
	a.view.rows, a.view.cols = max(size.Rows-1, 1), size.Cols
}

// loop shows the session and sends typed input, until the person detaches, ctx ends or an error occurs.
func (a *attachment) loop(ctx context.Context) error {
	a.messages, a.lost = receive(context.WithoutCancel(ctx), a.client)
	sizes, stop := resized()
	defer stop()
	for {
		var err error
		select {
		case m := <-a.messages:
			err = a.handle(m)
		case err = <-a.lost:
			err = a.lostError(err)
		case p, ok := <-a.term.typed:
			if !ok {
				return a.leave(ctx)
			}
			var done bool
			if done, err = a.sendInput(ctx, p); done {
				return a.leave(ctx)
			}
		case <-sizes:
			a.resizeView()
			if a.opt.Resize {
				err = a.resize(ctx)
			}
			a.draw()
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), a.leave(context.WithoutCancel(ctx)))
		}
		if err != nil {
			return err
		}
	}
}

// leaveLimit is the time limit of the request that releases the keyboard.
const leaveLimit = 2 * time.Second

// leave releases the keyboard. It returns an error if the request cannot be sent. It also returns an error
// if typed input is unanswered when the connection ends or leaveLimit has passed.
func (a *attachment) leave(ctx context.Context) error {
	// The facts may be old: the person may have the keyboard although the facts describe it as free.
	if f := a.facts; a.opt.ReadOnly || f != nil && f.Keyboard.State != "free" && !f.Keyboard.Mine {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	if err := a.send(ctx, live.Action{Do: "give", Text: a.opt.Note}); err != nil {
		return err
	}
	for {
		select {
		case m := <-a.messages:
			a.pendingKeys.answered(m)
			if m.N == a.number {
				return nil
			}
		case err := <-a.lost:
			if len(a.pendingKeys) == 0 {
				return nil // the server releases the keyboard after the end of the connection
			}
			return a.lostError(err)
		case <-ctx.Done():
			if len(a.pendingKeys) == 0 {
				return nil
			}
			return a.pendingKeys.addTo(fmt.Errorf("%s: %w", a.id, ErrUnanswered))
		}
	}
}

// handle handles a message from the server.
func (a *attachment) handle(m *live.Message) error {
	a.pendingKeys.answered(m)
	switch m.Type {
	case "hello":
		switch {
		case m.ID == a.id:
			return ErrSelf
		case m.Error != "" && !a.opt.ReadOnly:
			return fmt.Errorf("%s; --read-only watches", m.Error)
		}
	case "frame":
		if m.ID == a.id {
			a.view.apply(m.Frame)
			a.draw()
		}
	case "session":
		if m.Facts.ID != a.id {
			return nil
		}
		a.facts = m.Facts
		a.draw()
		if m.Facts.Status != "running" {
			return fmt.Errorf("%w, %s", ErrEnded, ending(m.Facts))
		}
	case "gone":
		if m.ID == a.id {
			return ErrEnded
		}
	case "failed":
		if m.N == a.takeRequest {
			return fmt.Errorf("%s; --force takes it, --read-only watches", m.Error)
		}
		a.failure = m.Error
		a.draw()
	}
	return nil
}

// ending describes how a session ended.
func ending(f *live.Facts) string {
	if f.ExitCode == nil {
		return f.Status
	}
	if f.Ended != "" {
		return f.Ended
	}
	return fmt.Sprintf("%s with code %d", f.Status, *f.ExitCode)
}

// sendInput sends p, which is input from the terminal, to the session, unless ReadOnly is set. It reports
// whether p contains the detach key.
func (a *attachment) sendInput(ctx context.Context, p []byte) (detach bool, err error) {
	keys, detach := a.decoder.keys(p)
	if len(keys) == 0 || a.opt.ReadOnly {
		return detach, nil
	}
	a.failure = ""
	a.pendingKeys.add(a.number+1, keys)
	return detach, a.send(ctx, live.Action{Do: "type", Keys: keys})
}

// draw draws the view and the status line.
func (a *attachment) draw() {
	rows := a.view.visibleRows()
	if a.term.Size().Rows > 1 {
		rows = append(rows, a.status())
	}
	modes := a.view.modes
	if a.opt.ReadOnly || !modes.SGRMouse || !a.view.showsAll() {
		modes.Mouse = 0
	}
	if a.opt.ReadOnly {
		modes = live.Modes{}
	}
	var b strings.Builder
	a.term.setModes(modes, &b)
	a.view.placeCursor(&b, 0)
	a.term.Show(rows, b.String())
}

// status returns the status line: the session, who types, the last error, and the detach key.
func (a *attachment) status() string {
	text := " " + a.id
	if f := a.facts; f != nil {
		text = fmt.Sprintf(" %s %s · %s", f.ID, f.Name, keyboardStatus(f, a.opt.ReadOnly))
		if f.Secret && f.Keyboard.Mine {
			text += " · a password: no agent and no log sees it"
		}
	}
	if a.failure != "" {
		text += " · " + a.failure
	}
	detach := a.opt.DetachKey.name + " detaches"
	if ansi.StringWidth(text+" · "+detach) > a.view.cols {
		text = " " + detach + " ·" + text // at the start, so that it is not cut off
	} else {
		text += " · " + detach
	}
	return reverseBar(text, a.view.cols)
}

// reverseBar returns text in reverse video across cols columns.
func reverseBar(text string, cols int) string {
	text, width := truncated(text, cols)
	return reverse + text + strings.Repeat(" ", max(cols-width, 0))
}

// keyboardStatus describes who types, or that a held command waits for a decision. watching: ReadOnly is set.
func keyboardStatus(f *live.Facts, watching bool) string {
	k := f.Keyboard
	switch {
	case len(f.Held) > 0:
		return "a command is held: see the live page"
	case k.State == "paused":
		return "paused by " + k.By
	case k.State == "held" && k.Mine:
		return "you type"
	case k.State == "held":
		return k.By + " types"
	case watching:
		return "you watch, the agent has the keyboard"
	}
	return "the agent has the keyboard"
}

// receive returns a channel that gets the server's messages until ctx ends, and a channel that gets the
// error after the last message.
func receive(ctx context.Context, c *live.Client) (<-chan *live.Message, <-chan error) {
	messages, lost := make(chan *live.Message), make(chan error, 1)
	go func() {
		for {
			m, err := c.Next(ctx)
			if err != nil {
				lost <- err
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	return messages, lost
}
