package attach

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A wall shows all sessions: a list, and below it the screen of the chosen one.
type wall struct {
	pages     Pages
	changes   chan func() error       // called by loop, see tell
	followers sync.WaitGroup          // the goroutines that follow the nodes
	clients   map[string]*live.Client // by the names of connected nodes; "" is the server itself
	silent    []string                // names of the unreachable nodes

	term   *Terminal
	view   view
	all    []*live.Facts // in the order of sort
	chosen int           // index in all
	large  string        // id of the session whose screen was requested
	moved  bool          // the person has chosen a session, so new ones do not become the chosen one
	note   string        // about the last key
	number int64
	part   []byte // the start of an incomplete key
}

// Watch shows all sessions of a server and of its fleet in t until the person quits or ctx
// ends. It returns the id of the session to attach to, or "" if the person quits.
func Watch(ctx context.Context, p Pages, t *Terminal) (id string, err error) {
	w := &wall{pages: p, term: t, changes: make(chan func() error), clients: map[string]*live.Client{}}
	ctx, cancel := context.WithCancel(ctx)
	w.followers.Go(func() { w.follow(ctx, "") })
	w.followers.Go(func() { w.followNodes(ctx) })
	defer w.followers.Wait()
	defer cancel()
	return w.loop(ctx)
}

// loop draws and handles keys until the person quits, chooses a session to attach to, or ctx
// ends.
func (w *wall) loop(ctx context.Context) (id string, err error) {
	sizes, stop := resized()
	defer stop()
	w.draw()
	for {
		select {
		case change := <-w.changes:
			if err := change(); err != nil {
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

// keys handles typed bytes, which may hold several keys or a part of one.
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

// A key is a control sequence (ECMA-48 5.4), SS3 and a character, or one character. partKey
// matches the start of one, of at most maxPart bytes.
const maxPart = 32

var (
	wholeKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?s:\x1b\[[^@-~]*[@-~]|\x1bO.|.)`) })
	partKey  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\x1b(?:O|\[[^@-~]{0,29})?$`) })
)

// keyLen returns the length in bytes of the first key of p, or 0 if it is incomplete.
func keyLen(p []byte) int {
	if partKey().Match(p) {
		return 0
	}
	return len(wholeKey().Find(p))
}

// key handles one key. If done, the person quits, or attaches to the session id.
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

// choose shows the screen of session n of w.all.
func (w *wall) choose(ctx context.Context, n int) error {
	if n < 0 || n >= len(w.all) {
		return nil
	}
	w.chosen = n
	id := w.all[n].ID
	if w.large == id {
		return nil
	}
	oldNode := nodeOf(w.large)
	w.large, w.view.lines = id, nil
	if oldNode != nodeOf(id) {
		if err := w.watch(ctx, oldNode, ""); err != nil {
			return err
		}
	}
	return w.watch(ctx, nodeOf(id), id)
}

// watch asks a node for the screen of one of its sessions, or for none if id is "". If the
// node is not connected, connected asks it again once it is.
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
	return nil // follow reports the end of another node's connection
}

// sort puts the sessions that wait for a person first and those that have ended last. The
// chosen session stays chosen.
func (w *wall) sort() {
	slices.SortStableFunc(w.all, func(a, b *live.Facts) int {
		return cmp.Or(a.Urgency()-b.Urgency(), cmp.Compare(nodeOf(a.ID), nodeOf(b.ID)), cmp.Compare(a.Created, b.Created))
	})
	if i := slices.IndexFunc(w.all, func(f *live.Facts) bool { return f.ID == w.large }); i >= 0 {
		w.chosen = i
	}
}

// got handles a message from a node.
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

// draw draws the heading, the list and the chosen screen.
func (w *wall) draw() {
	size := w.term.Size()
	room := max(size.Rows/3, 1)
	first := max(min(w.chosen-room/2, len(w.all)-room), 0)
	shown := w.all[first:min(first+room, len(w.all))]
	text := fmt.Sprintf(" %d sessions · up and down choose · enter attaches · q quits", len(w.all))
	if len(w.silent) > 0 {
		text += " · unreachable: " + strings.Join(w.silent, ", ")
	}
	if w.note != "" {
		text = " " + w.note
	}
	head, _ := fitted(text, size.Cols)
	rows := []string{bold + head}
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
			rows = append(rows, bar(line, size.Cols))
			continue
		}
		text, _ := fitted(line, size.Cols)
		rows = append(rows, text)
	}
	w.view.rows, w.view.cols = max(size.Rows-len(rows), 0), size.Cols
	screen := w.view.draw()
	var b strings.Builder
	w.view.place(&b, len(rows))
	w.term.Show(append(rows, screen...), b.String())
}

// stateOf describes what a session is doing, for the list.
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

// title returns the title that a session has set, or else its command.
func title(f *live.Facts) string {
	if f.Title != "" {
		return f.Title
	}
	return f.Command
}
