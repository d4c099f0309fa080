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

// A dashboard shows all sessions: a list, and below it the screen of the chosen one.
type dashboard struct {
	dialer      Dialer
	changes     chan func() error       // functions for loop to call; post sends them
	followers   sync.WaitGroup          // the goroutines of follow and followNodes
	clients     map[string]*live.Client // of the connected nodes, by name; "" is the server itself
	unreachable []string                // names of the unreachable nodes

	term       *Terminal
	view       view
	all        []*live.Facts // the sessions, in the order of the method sort
	chosen     int           // index of the chosen session in all
	watched    string        // id of the session whose screen was requested, or ""
	moved      bool          // the person has chosen another session: new sessions do not change the choice
	note       string        // why the last key did nothing; shown in place of the heading
	number     int64         // the number of the last request
	incomplete []byte        // the first bytes of a key that the last input ended in
}

// Watch shows all sessions of a server and of its fleet in t until the person chooses a session or
// quits, or ctx ends. It returns the ID of the session to attach to, or "" if the person quits.
func Watch(ctx context.Context, dialer Dialer, t *Terminal) (id string, err error) {
	d := &dashboard{dialer: dialer, term: t, changes: make(chan func() error), clients: map[string]*live.Client{}}
	ctx, cancel := context.WithCancel(ctx)
	d.followers.Go(func() { d.follow(ctx, "") })
	d.followers.Go(func() { d.followNodes(ctx) })
	defer d.followers.Wait()
	defer cancel()
	return d.loop(ctx)
}

// loop draws and handles keys until the person quits or chooses a session, or ctx ends.
func (d *dashboard) loop(ctx context.Context) (id string, err error) {
	sizes, stop := resized()
	defer stop()
	d.draw()
	for {
		select {
		case change := <-d.changes:
			if err := change(); err != nil {
				return "", err
			}
		case p, ok := <-d.term.typed:
			id, done, err := d.keys(ctx, p)
			if !ok || done || err != nil {
				return id, err
			}
		case <-sizes:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		d.draw()
	}
}

// keys calls key for each key in the typed bytes. It returns key's last results, and keeps an incomplete key.
func (d *dashboard) keys(ctx context.Context, p []byte) (id string, done bool, err error) {
	p = append(d.incomplete, p...)
	for len(p) > 0 && !done && err == nil {
		n := keyLen(p)
		if n == 0 {
			break
		}
		id, done, err = d.key(ctx, string(p[:n]))
		p = p[n:]
	}
	d.incomplete = bytes.Clone(p)
	return id, done, err
}

// maxPart is one more than the maximum length of an incomplete key, in bytes. A longer one is not waited for.
const maxPart = 32

// wholeKey matches a key: a control sequence (ECMA-48 5.4), SS3 and a character, or one character.
// partKey matches an incomplete key of less than maxPart bytes.
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

// key handles one key. If done is true, the person attaches to the session id, or quits if id is "".
func (d *dashboard) key(ctx context.Context, p string) (id string, done bool, err error) {
	d.note = ""
	switch p {
	case "q", "Q", "\x03":
		return "", true, nil
	case "\x1b[A", "\x1bOA", "k":
		d.moved = true
		return "", false, d.choose(ctx, d.chosen-1)
	case "\x1b[B", "\x1bOB", "j":
		d.moved = true
		return "", false, d.choose(ctx, d.chosen+1)
	case "\r":
		switch {
		case d.chosen >= len(d.all):
		case d.isUnreachable(d.all[d.chosen]):
			d.note = d.all[d.chosen].ID + " is unreachable: its node does not answer"
		case d.all[d.chosen].Urgency() == 2:
			d.note = d.all[d.chosen].ID + " has ended: there is nothing to attach to"
		default:
			return d.all[d.chosen].ID, true, nil
		}
	}
	return "", false, nil
}

// choose chooses session n of d.all and requests its screen. If there is no session n, it does nothing.
func (d *dashboard) choose(ctx context.Context, n int) error {
	if n < 0 || n >= len(d.all) {
		return nil
	}
	d.chosen = n
	id := d.all[n].ID
	if d.watched == id {
		return nil
	}
	oldNode := nodeOf(d.watched)
	d.watched, d.view.lines = id, nil
	if oldNode != nodeOf(id) {
		if err := d.watch(ctx, oldNode, ""); err != nil {
			return err
		}
	}
	return d.watch(ctx, nodeOf(id), id)
}

// watch asks a node for the screen of one of its sessions, or for no screen if id is "". If the
// node is not connected, watch does nothing: connected asks for the screen later.
func (d *dashboard) watch(ctx context.Context, node, id string) error {
	client := d.clients[node]
	if client == nil {
		return nil
	}
	d.number++
	err := client.Send(ctx, live.Action{N: d.number, Do: "watch", Large: id})
	if err != nil && node == "" {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return nil // if another node's connection has ended, follow notices it
}

// sort sorts d.all by Facts.Urgency, node and time of creation. The session that was chosen stays chosen.
func (d *dashboard) sort() {
	slices.SortStableFunc(d.all, func(a, b *live.Facts) int {
		return cmp.Or(a.Urgency()-b.Urgency(), cmp.Compare(nodeOf(a.ID), nodeOf(b.ID)), cmp.Compare(a.Created, b.Created))
	})
	if i := slices.IndexFunc(d.all, func(f *live.Facts) bool { return f.ID == d.watched }); i >= 0 {
		d.chosen = i
	}
}

// handle handles a message from a node.
func (d *dashboard) handle(ctx context.Context, node string, m *live.Message) error {
	switch m.Type {
	case "session":
		if i := slices.IndexFunc(d.all, func(f *live.Facts) bool { return f.ID == m.Facts.ID }); i >= 0 {
			d.all[i] = m.Facts
			d.sort()
			return nil
		}
		d.all = append(d.all, m.Facts)
		d.sort()
		if !d.moved {
			return d.choose(ctx, 0)
		}
	case "gone":
		return d.remove(ctx, func(f *live.Facts) bool { return f.ID == m.ID })
	case "none":
		return d.remove(ctx, func(f *live.Facts) bool { return nodeOf(f.ID) == node })
	case "frame":
		if m.Frame.ID == d.watched {
			d.view.apply(m.Frame)
		}
	}
	return nil
}

// draw draws the heading, the list and the chosen screen.
func (d *dashboard) draw() {
	size := d.term.Size()
	room := max(size.Rows/3, 1)
	first := max(min(d.chosen-room/2, len(d.all)-room), 0)
	shown := d.all[first:min(first+room, len(d.all))]
	sessions := "sessions"
	if len(d.all) == 1 {
		sessions = "session"
	}
	text := fmt.Sprintf(" %d %s · up and down choose · enter attaches · q quits", len(d.all), sessions)
	if len(d.unreachable) > 0 {
		text += " · unreachable: " + strings.Join(d.unreachable, ", ")
	}
	if d.note != "" {
		text = " " + d.note
	}
	head, _ := truncated(text, size.Cols)
	rows := []string{bold + head}
	wide := 5
	for _, f := range shown {
		wide = max(wide, len(f.ID))
	}
	for i, f := range shown {
		state := StateText(f)
		if d.isUnreachable(f) {
			state = live.NodeUnreachable
		}
		line := fmt.Sprintf("%-*s %-14s %-23s %s", wide, f.ID, f.Name, state, title(f))
		if first+i == d.chosen {
			rows = append(rows, reverseBar(line, size.Cols))
			continue
		}
		text, _ := truncated(line, size.Cols)
		rows = append(rows, text)
	}
	d.view.rows, d.view.cols = max(size.Rows-len(rows), 0), size.Cols
	screen := d.view.visibleRows()
	var b strings.Builder
	d.view.placeCursor(&b, len(rows))
	d.term.Show(append(rows, screen...), b.String())
}

// StateText describes what a session is doing, in a list of sessions.
func StateText(f *live.Facts) string {
	switch {
	case f.Status != "running":
		return ending(f)
	case len(f.Held) > 0:
		return "wants to run a command"
	case f.Keyboard.State == "free" && f.Secret:
		return "asks for a password"
	}
	return keyboardStatus(f, false)
}

// title returns the title that a session has set, or else its command.
func title(f *live.Facts) string {
	if f.Title != "" {
		return f.Title
	}
	return f.Command
}
