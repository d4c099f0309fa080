package attach

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A wall shows all sessions: a list, and below it the screen of the chosen one.
type wall struct {
	pages   Pages
	heard   chan news
	run     sync.WaitGroup          // of what follows the nodes
	clients map[string]*live.Client // of the nodes that are connected, "" for the server itself
	silent  []string                // nodes that do not answer

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

// Watch shows all sessions of a server and of its fleet in t until the person quits or
// ctx ends. It returns the session that the person wants to attach to, "" for none.
func Watch(ctx context.Context, p Pages, t *Terminal) (id string, err error) {
	w := &wall{pages: p, term: t, heard: make(chan news), clients: map[string]*live.Client{}}
	ctx, cancel := context.WithCancel(ctx)
	w.run.Go(func() { w.follow(ctx, "") })
	w.run.Go(func() { w.followNodes(ctx) })
	defer w.run.Wait()
	defer cancel()
	return w.loop(ctx)
}

// loop draws and takes keys until the end.
func (w *wall) loop(ctx context.Context) (id string, err error) {
	sizes, stop := resized()
	defer stop()
	w.draw()
	for {
		select {
		case n := <-w.heard:
			if err := w.hear(ctx, n); err != nil {
				return "", err
			}
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
		case w.isAway(w.all[w.chosen]):
			w.note = w.all[w.chosen].ID + " is unreachable: its node does not answer"
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
	id := w.all[n].ID
	if w.large == id {
		return nil
	}
	was := nodeOf(w.large)
	w.large, w.view.lines = id, nil
	if was != nodeOf(id) {
		if err := w.watch(ctx, was, ""); err != nil {
			return err
		}
	}
	return w.watch(ctx, nodeOf(id), id)
}

// watch asks a node for the screen of one of its sessions, "" for none. A node that is
// away is asked when it is back.
func (w *wall) watch(ctx context.Context, node, id string) error {
	client := w.clients[node]
	if client == nil {
		return nil
	}
	w.number++
	err := client.Send(ctx, live.Action{N: w.number, Do: "watch", Large: id})
	if err != nil && node == "" {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return nil // the end of another node's connection is heard
}

// sort puts first what waits for a person, and what has ended last; the chosen session
// stays so.
func (w *wall) sort() {
	slices.SortStableFunc(w.all, func(a, b *live.Facts) int {
		return cmp.Or(a.Urgency()-b.Urgency(), cmp.Compare(nodeOf(a.ID), nodeOf(b.ID)), cmp.Compare(a.Created, b.Created))
	})
	if i := slices.IndexFunc(w.all, func(f *live.Facts) bool { return f.ID == w.large }); i >= 0 {
		w.chosen = i
	}
}

// got takes a message of a node.
func (w *wall) got(ctx context.Context, node string, m *live.Message) error {
	switch m.Type {
	case "session":
		if i := slices.IndexFunc(w.all, func(f *live.Facts) bool { return f.ID == m.Facts.ID }); i >= 0 {
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
		return w.remove(ctx, func(f *live.Facts) bool { return f.ID == m.ID })
	case "none":
		return w.remove(ctx, func(f *live.Facts) bool { return nodeOf(f.ID) == node })
	case "frame":
		if m.Frame.ID == w.large {
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
	if len(w.silent) > 0 {
		text += " · unreachable: " + strings.Join(w.silent, ", ")
	}
	if w.note != "" {
		text = " " + w.note
	}
	head, _ := fitted(text, size.Cols)
	b.WriteString(moveTo(0, 0) + bold + head + resetStyle + eraseRight)
	wide := 5
	for _, f := range shown {
		wide = max(wide, len(f.ID))
	}
	for i, f := range shown {
		state := stateOf(f)
		if w.isAway(f) {
			state = live.NodeUnreachable
		}
		line := fmt.Sprintf("%-*s %-14s %-23s %s", wide, f.ID, f.Name, state, title(f))
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
