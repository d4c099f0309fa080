package attach

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A wall shows all sessions: a list, and below it the screen of the chosen one.
type wall struct {
	client *live.Client
	term   *Terminal
	view   view
	all    []*live.Facts // first those that wait for a person, then those that run
	chosen int
	large  string // the session whose screen was asked for
	moved  bool   // the person has chosen: nothing else does
	note   string // about the last key
	number int64
	part   []byte // of a key whose end has not come
}

// Watch shows all sessions of a server in t until the person quits or ctx ends.
// It returns the session that the person wants to attach to, "" for none.
func Watch(ctx context.Context, c *live.Client, t *Terminal) (id string, err error) {
	w := &wall{client: c, term: t}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return w.loop(ctx)
}

// loop draws and takes keys until the end.
func (w *wall) loop(ctx context.Context) (id string, err error) {
	messages, lost := receive(ctx, w.client)
	sizes, stop := resized()
	defer stop()
	w.draw()
	for {
		select {
		case m := <-messages:
			if err := w.got(ctx, m); err != nil {
				return "", err
			}
		case err := <-lost:
			return "", fmt.Errorf("%w: %w", ErrLost, err)
		case p, ok := <-w.term.typed:
			id, done, err := w.keys(ctx, p)
			if !ok || done || err != nil {
				return id, err
			}
		case <-sizes:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		w.draw()
	}
}

// keys takes the keys in what was typed, which may be many or a part of one.
func (w *wall) keys(ctx context.Context, p []byte) (id string, done bool, err error) {
	p = append(w.part, p...)
	for len(p) > 0 && !done && err == nil {
		n := keyLen(p)
		if n == 0 {
			break
		}
		id, done, err = w.key(ctx, string(p[:n]))
		p = p[n:]
	}
	w.part = bytes.Clone(p)
	return id, done, err
}

// maxPart bounds a key whose end has not come.
const maxPart = 32

// keyLen returns how many bytes the first key of p has, 0 when its end has not
// come: a control sequence (ECMA-48 5.4), SS3 and a character, or one byte.
func keyLen(p []byte) int {
	if p[0] != '\x1b' {
		return 1
	}
	rest := p[1:min(len(p), maxPart)]
	switch {
	case len(rest) > 1 && rest[0] == 'O':
		return 3
	case len(rest) > 0 && rest[0] == '[':
		for i, c := range rest[1:] {
			if c >= 0x40 && c <= 0x7e {
				return i + 3
			}
		}
	case len(rest) > 0 && rest[0] != 'O':
		return 1
	}
	if len(p) >= maxPart {
		return 1 // it has no end
	}
	return 0
}

// key takes a key. done says that the person has finished.
func (w *wall) key(ctx context.Context, p string) (id string, done bool, err error) {
	w.note = ""
	switch p {
	case "q", "Q", "\x03":
		return "", true, nil
	case "\x1b[A", "\x1bOA", "k":
		w.moved = true
		return "", false, w.choose(ctx, w.chosen-1)
	case "\x1b[B", "\x1bOB", "j":
		w.moved = true
		return "", false, w.choose(ctx, w.chosen+1)
	case "\r":
		switch {
		case w.chosen >= len(w.all):
		case w.all[w.chosen].Urgency() == 2:
			w.note = w.all[w.chosen].ID + " has ended: there is nothing to attach to"
		default:
			return w.all[w.chosen].ID, true, nil
		}
	}
	return "", false, nil
}

// choose shows another session's screen.
func (w *wall) choose(ctx context.Context, n int) error {
	if n < 0 || n >= len(w.all) {
		return nil
	}
	w.chosen = n
	if w.large == w.all[n].ID {
		return nil
	}
	w.large, w.view.lines = w.all[n].ID, nil
	w.number++
	if err := w.client.Send(ctx, live.Action{N: w.number, Do: "watch", Large: w.all[n].ID}); err != nil {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return nil
}

// sort puts first what waits for a person, and what has ended last; the chosen session
// stays so.
func (w *wall) sort() {
	slices.SortStableFunc(w.all, func(a, b *live.Facts) int {
		return cmp.Or(a.Urgency()-b.Urgency(), cmp.Compare(a.Created, b.Created))
	})
	if i := slices.IndexFunc(w.all, func(f *live.Facts) bool { return f.ID == w.large }); i >= 0 {
		w.chosen = i
	}
}

// got takes a message of the server.
func (w *wall) got(ctx context.Context, m *live.Message) error {
	at := func(id string) int {
		return slices.IndexFunc(w.all, func(f *live.Facts) bool { return f.ID == id })
	}
	switch m.Type {
	case "session":
		if i := at(m.Facts.ID); i >= 0 {
			w.all[i] = m.Facts
			w.sort()
			return nil
		}
		w.all = append(w.all, m.Facts)
		w.sort()
		if !w.moved {
			return w.choose(ctx, 0)
		}
	case "gone":
		i := at(m.ID)
		if i < 0 {
			return nil
		}
		w.all = slices.Delete(w.all, i, i+1)
		if w.chosen > i || w.chosen >= len(w.all) {
			w.chosen = max(w.chosen-1, 0)
		}
		return w.choose(ctx, w.chosen)
	case "none":
		w.all, w.view.lines, w.chosen, w.large, w.moved = nil, nil, 0, "", false
	case "frame":
		if w.chosen < len(w.all) && m.ID == w.all[w.chosen].ID {
			w.view.take(m.Frame)
		}
	}
	return nil
}

// draw draws everything.
func (w *wall) draw() {
	size := w.term.size()
	room := max(size.Rows/3, 1)
	first := max(min(w.chosen-room/2, len(w.all)-room), 0)
	shown := w.all[first:min(first+room, len(w.all))]
	var b strings.Builder
	b.WriteString(hideCursor)
	text := fmt.Sprintf(" %d sessions · up and down choose · enter attaches · q quits", len(w.all))
	if w.note != "" {
		text = " " + w.note
	}
	head, _ := fitted(text, size.Cols)
	b.WriteString(moveTo(0, 0) + bold + head + resetStyle + eraseRight)
	for i, f := range shown {
		line := fmt.Sprintf("%-5s %-14s %-23s %s", f.ID, f.Name, stateOf(f), title(f))
		if first+i == w.chosen {
			writeBar(&b, i+1, size.Cols, line)
			continue
		}
		text, _ := fitted(line, size.Cols)
		b.WriteString(moveTo(i+1, 0) + resetStyle + text + eraseRight)
	}
	w.view.first = len(shown) + 1
	w.view.rows, w.view.cols = max(size.Rows-w.view.first, 0), size.Cols
	w.view.follow()
	for row := range w.view.rows {
		w.view.drawRow(&b, row)
	}
	w.view.place(&b)
	// A terminal that does not take it is gone, which its input says too.
	_ = w.term.write(b.String())
}

// stateOf says what a session does.
func stateOf(f *live.Facts) string {
	switch {
	case f.Status != "running":
		return endOf(f)
	case len(f.Held) > 0:
		return "wants to run a command"
	case f.Keyboard.State == "free" && f.Secret:
		return "asks for a password"
	}
	return holder(f, false)
}

// title returns what a session shows of itself.
func title(f *live.Facts) string {
	if f.Title != "" {
		return f.Title
	}
	return f.Command
}
