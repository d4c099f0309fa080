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

// Options say how to attach.
type Options struct {
	Session  string       // the session's id
	ReadOnly bool         // watch, do not type
	Force    bool         // take the keyboard from another person
	Resize   bool         // give the session the terminal's size
	Detach   emulator.Key // the key that detaches
	KeyName  string       // what it is called
	Note     string       // for the agent, at the end
}

// An attachment is a session in a terminal.
type attachment struct {
	opt    Options
	client *live.Client
	term   *Terminal
	view   view
	typist typist

	messages <-chan *live.Message
	lost     <-chan error // why there are no more
	facts    *live.Facts
	trouble  string // what went wrong last
	number   int64
	take     int64 // the number of the request to take over
	typing   unanswered
}

// Run shows a session in t until the person detaches (nil), the program ends
// (ErrEnded), the connection is lost (a LostError) or ctx ends. While it runs, and
// unless it only watches, the person has the session's keyboard.
func Run(ctx context.Context, c *live.Client, o Options, t *Terminal) error {
	a := &attachment{opt: o, client: c, term: t}
	a.typist.detach = emulator.EncodeKey(o.Detach, emulator.Modes{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := a.begin(ctx); err != nil {
		return err
	}
	err := a.loop(ctx)
	var b strings.Builder
	t.set(live.Modes{}, &b)
	return errors.Join(err, t.write(b.String()))
}

// begin asks for the screen and, unless it only watches, for the keyboard.
func (a *attachment) begin(ctx context.Context) error {
	a.fit()
	if !a.opt.ReadOnly {
		if err := a.ask(ctx, live.Action{Do: "take", Force: a.opt.Force}); err != nil {
			return err
		}
		a.take = a.number
	}
	if a.opt.Resize {
		if err := a.resize(ctx); err != nil {
			return err
		}
	}
	return a.ask(ctx, live.Action{Do: "watch", Large: a.opt.Session})
}

// ask sends a request for the session.
func (a *attachment) ask(ctx context.Context, d live.Action) error {
	a.number++
	d.N, d.ID = a.number, a.opt.Session
	if err := a.client.Send(ctx, d); err != nil {
		return a.lose(err)
	}
	return nil
}

// lose returns the error of a connection that is lost.
func (a *attachment) lose(why error) error { return &LostError{why, a.typing.doubt()} }

// resize gives the session the terminal's size.
func (a *attachment) resize(ctx context.Context) error {
	return a.ask(ctx, live.Action{Do: "resize", Rows: a.view.rows, Cols: a.view.cols})
}

// fit gives the view the terminal's size but for the status line, where there is
// room for one.
func (a *attachment) fit() {
	size := a.term.size()
	a.view.rows, a.view.cols = max(size.Rows-1, 1), size.Cols
}

// loop draws and types until the end.
func (a *attachment) loop(ctx context.Context) error {
	a.messages, a.lost = receive(context.WithoutCancel(ctx), a.client)
	sizes, stop := resized()
	defer stop()
	for {
		var err error
		select {
		case m := <-a.messages:
			err = a.got(m)
		case err = <-a.lost:
			err = a.lose(err)
		case p, ok := <-a.term.typed:
			if !ok {
				return a.leave(ctx)
			}
			var done bool
			if done, err = a.typed(ctx, p); done {
				return a.leave(ctx)
			}
		case <-sizes:
			a.fit()
			if a.opt.Resize {
				err = a.resize(ctx)
			}
			a.draw(nil, true)
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), a.leave(context.WithoutCancel(ctx)))
		}
		if err != nil {
			return err
		}
	}
}

// leaveLimit is how long the last request may take.
const leaveLimit = 2 * time.Second

// leave gives the keyboard back. It is an error when something that was typed is not
// answered by then.
func (a *attachment) leave(ctx context.Context) error {
	// Facts come a moment late: where they say that nobody has it, it may be ours.
	if f := a.facts; a.opt.ReadOnly || f != nil && f.Keyboard.State != "free" && !f.Keyboard.Mine {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	if err := a.ask(ctx, live.Action{Do: "give", Text: a.opt.Note}); err != nil {
		return err
	}
	for {
		select {
		case m := <-a.messages:
			a.typing.answered(m)
			if m.N == a.number {
				return nil
			}
		case err := <-a.lost:
			if len(a.typing) == 0 {
				return nil // the server gives it back by itself when we are gone
			}
			return a.lose(err)
		case <-ctx.Done():
			if len(a.typing) == 0 {
				return nil
			}
			return fmt.Errorf("%s: %w. %s", a.opt.Session, ErrUnanswered, a.typing.doubt())
		}
	}
}

// got takes a message of the server.
func (a *attachment) got(m *live.Message) error {
	a.typing.answered(m)
	switch m.Type {
	case "hello":
		switch {
		case m.ID == a.opt.Session:
			return ErrSelf
		case m.Error != "" && !a.opt.ReadOnly:
			return fmt.Errorf("%s; --read-only watches", m.Error)
		}
	case "frame":
		if m.ID == a.opt.Session {
			full := m.Frame.Full
			a.draw(a.view.take(m.Frame), full)
		}
	case "session":
		if m.Facts.ID != a.opt.Session {
			return nil
		}
		a.facts = m.Facts
		if m.Facts.Secret {
			a.typing.hide() // facts come a moment late
		}
		a.draw(nil, false)
		if m.Facts.Status != "running" {
			return fmt.Errorf("%w, %s", ErrEnded, endOf(m.Facts))
		}
	case "gone":
		if m.ID == a.opt.Session {
			return ErrEnded
		}
	case "failed":
		if m.N == a.take {
			return fmt.Errorf("%s; --force takes it, --read-only watches", m.Error)
		}
		a.trouble = m.Error
		a.draw(nil, false)
	}
	return nil
}

// endOf says how a session has ended.
func endOf(f *live.Facts) string {
	if f.ExitCode == nil {
		return f.Status
	}
	if f.Ended != "" {
		return f.Ended
	}
	return fmt.Sprintf("%s with code %d", f.Status, *f.ExitCode)
}

// typed types what the terminal sent, and reports whether the person detaches.
func (a *attachment) typed(ctx context.Context, p []byte) (detach bool, err error) {
	keys, detach := a.typist.take(p)
	if len(keys) == 0 || a.opt.ReadOnly {
		return detach, nil
	}
	a.trouble = ""
	a.typing = append(a.typing, input{a.number + 1, keys, a.facts != nil && a.facts.Secret})
	return detach, a.ask(ctx, live.Action{Do: "type", Keys: keys})
}

// draw draws the rows of the screen that changed, or all of them, and the status
// line.
func (a *attachment) draw(changed []int, all bool) {
	var b strings.Builder
	b.WriteString(hideCursor)
	if a.view.follow() || all {
		for row := range a.view.rows {
			a.view.drawRow(&b, row)
		}
	} else {
		for _, n := range changed {
			if row := n - a.view.top; row >= 0 && row < a.view.rows {
				a.view.drawRow(&b, row)
			}
		}
	}
	modes := a.view.modes
	if a.opt.ReadOnly || !modes.SGRMouse || !a.view.whole() {
		modes.Mouse = 0
	}
	if a.opt.ReadOnly {
		modes = live.Modes{}
	}
	a.term.set(modes, &b)
	a.status(&b)
	a.view.place(&b)
	// A terminal that does not take it is gone, which its input says too.
	_ = a.term.write(b.String())
}

// status draws the line that says whose keyboard it is.
func (a *attachment) status(b *strings.Builder) {
	if a.term.size().Rows < 2 {
		return
	}
	text := " " + a.opt.Session
	if f := a.facts; f != nil {
		text = fmt.Sprintf(" %s %s · %s", f.ID, f.Name, holder(f, a.opt.ReadOnly))
		if f.Secret && f.Keyboard.Mine {
			text += " · a password: no agent and no log sees it"
		}
	}
	if a.trouble != "" {
		text += " · " + a.trouble
	}
	detach := a.opt.KeyName + " detaches"
	if ansi.StringWidth(text+" · "+detach) > a.view.cols {
		text = " " + detach + " ·" + text // which must not be what is cut off
	} else {
		text += " · " + detach
	}
	writeBar(b, a.view.rows, a.view.cols, text)
}

// writeBar writes a line of our own, in reverse, into a row of the terminal.
func writeBar(b *strings.Builder, row, cols int, text string) {
	text, width := fitted(text, cols)
	b.WriteString(moveTo(row, 0) + reverse + text + strings.Repeat(" ", max(cols-width, 0)) + resetStyle)
}

// holder says who has the keyboard.
func holder(f *live.Facts, watching bool) string {
	k := f.Keyboard
	switch {
	case k.State == "paused":
		return "paused by " + k.By
	case k.State == "held" && k.Mine:
		return "you type"
	case k.State == "held":
		return k.By + " types"
	case watching:
		return "you watch, the agent types"
	}
	return "the agent types"
}

// receive passes the server's messages on, and why there are no more.
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
