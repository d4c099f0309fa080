package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/tempdir"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/archive"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/replay"
)

// Bounds of what is read of recordings.
const (
	maxRecorded     = 200 // sessions that list_sessions shows of nodes that are away
	maxReadHosts    = 8   // whose recordings are at hand at once
	maxReadSessions = session.MaxLost - 1
	// readLimit is how long the reading of a recording may take.
	readLimit = time.Minute
	// reopenAfter is the time between two tries to make the stream of recordings.
	reopenAfter = 10 * time.Second
)

// recordings reads the sessions of nodes that are away from the fleet's recordings: it makes
// logs of them, and lost sessions of these. It is safe for concurrent use.
type recordings struct {
	link *fleetLink
	opt  mcpserver.Options
	mgr  session.Options // of the sessions
	log  *slog.Logger

	mu      sync.Mutex // guards what follows, and is held while a recording is read
	dir     string     // of the logs, "" before the first; another server removes it if this one is killed
	release func()     // of dir
	hosts   map[string]*recordedHost
}

// A recordedHost has the sessions of one host that were read.
type recordedHost struct {
	dir    *eventlog.Dir
	mgr    *session.Manager
	remote *mcpserver.Remote
	used   time.Time
	read   map[string]*readSession // by id

	mu   sync.Mutex                 // guards keep
	keep map[string]fleet.Recording // what goes with the log in a directory, when that is deleted
}

// A readSession is a session that was made of a recording.
type readSession struct {
	archive.Kept
	path string
	gaps string
}

// newRecorded returns what reads recordings for a server with the options o.
func newRecorded(link *fleetLink, o mcpserver.Options, mgr session.Options) *recordings {
	return &recordings{link: link, opt: o, mgr: mgr, log: o.Logger, hosts: map[string]*recordedHost{}}
}

// away reports whether a node does not answer, and whether it is gone for good. One that is
// not known has left.
func (l *fleetLink) away() (func(host string) (away, lost bool), error) {
	nodes, err := l.member.Nodes("")
	if err != nil {
		return nil, err
	}
	return func(host string) (away, lost bool) {
		i := slices.IndexFunc(nodes, func(n fleet.Node) bool { return n.Name == host })
		switch {
		case l.Runs() && host == l.name:
			return false, false
		case i < 0:
			return true, true
		}
		return nodes[i].Away > 0, nodes[i].Lost
	}, nil
}

// Recorded implements mcpserver.Fleet.
func (l *fleetLink) Recorded(ctx context.Context, host string) ([]mcpserver.RecordedSession, error) {
	if err := l.member.Connected(); err != nil || l.recorded == nil {
		return nil, err
	}
	if err := l.member.Recall(ctx); err != nil {
		return nil, err
	}
	away, err := l.away()
	if err != nil {
		return nil, err
	}
	all, err := archive.List(l.member, "*", maxRecorded, func(node string) bool {
		is, _ := away(node)
		return is && fleet.Fits(host, l.member.Known(node))
	})
	var out []mcpserver.RecordedSession
	for _, k := range all {
		i := session.Info{
			ID: k.ID, Name: k.Meta.Name, Command: k.Meta.Command, Args: k.Meta.Args, CreatedAt: k.Meta.CreatedAt,
			LastActivity: k.Until, ExitCode: k.Meta.ExitCode, Status: session.Status(k.Meta.Status),
		}
		if i.Status != session.StatusExited {
			i.Status = mcpserver.StatusUnreachable
			if _, lost := away(k.Node); lost {
				i.Status = mcpserver.StatusLost
			}
		}
		out = append(out, mcpserver.RecordedSession{Host: k.Node, Info: i})
	}
	return out, err
}

// handle answers a call that a host has not answered, because of why, from its recordings.
// Where it cannot the error is why.
func (r *recordings) handle(ctx context.Context, host string, body []byte, progress func([]byte), why error) ([]byte, error) {
	gone := errors.Is(why, fleet.ErrLost) || errors.Is(why, fleet.ErrNoHost)
	if r == nil || !gone && !errors.Is(why, fleet.ErrUnreachable) || !r.link.Allowed(ctx, host) || fleet.CheckName(host) != nil {
		return nil, why
	}
	h, note, err := r.prepare(ctx, host, body, gone)
	if err != nil {
		r.log.Debug("fleet: recordings", "host", host, "err", err)
		return nil, why
	}
	if h == nil {
		return nil, why
	}
	state := "does not answer"
	if gone {
		state = "is lost"
	}
	return mcpserver.FromRecording(h.remote.Handle(ctx, body, math.MaxInt, progress), fmt.Sprintf("host %s %s; this is from its recording, %s", host, state, note), !gone), nil
}

// prepare reads the sessions that a call names. It returns nil for a call that recordings
// cannot answer.
func (r *recordings) prepare(ctx context.Context, host string, body []byte, gone bool) (h *recordedHost, note string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h, err = r.host(ctx, host); err != nil {
		return nil, "", err
	}
	defer func() {
		if r.hosts[host] != nil && len(r.hosts[host].read) == 0 { // perhaps there is no such host
			r.drop(host)
		}
	}()
	ids, now, ok := h.remote.Looked(body)
	if !ok || now && !gone {
		return nil, "", nil
	}
	for _, id := range ids {
		s, err := h.session(ctx, r.link.member, host, id)
		if err != nil {
			return nil, "", err
		}
		note = "which goes until " + s.Until.UTC().Format(time.RFC3339)
		if s.gaps != "" {
			note += "; " + s.gaps
		}
	}
	return h, note, nil
}

// host returns what was read of a host. It is called with mu held.
func (r *recordings) host(ctx context.Context, name string) (*recordedHost, error) {
	if h := r.hosts[name]; h != nil {
		if h.used = time.Now(); len(h.read) < maxReadSessions {
			return h, nil
		}
		r.drop(name)
	}
	for len(r.hosts) >= maxReadHosts {
		oldest := ""
		for other, h := range r.hosts {
			if oldest == "" || h.used.Before(r.hosts[oldest].used) {
				oldest = other
			}
		}
		r.drop(oldest)
	}
	if r.dir == "" {
		dir, err := tempdir.Make(tempdir.Recordings)
		if err != nil {
			return nil, err
		}
		r.dir, r.release = dir, tempdir.Hold([]string{dir})
	}
	dir, err := eventlog.OpenDir(filepath.Join(r.dir, name))
	if err != nil {
		return nil, err
	}
	h := &recordedHost{dir: dir, used: time.Now(), read: map[string]*readSession{}, keep: map[string]fleet.Recording{}}
	opt := r.mgr
	opt.LostHint = "a recording does not show what the program does now"
	opt.Forget = func(path string, _ bool) error { return h.forget(r.link.member, path) }
	h.mgr = session.NewManager(opt)
	if h.remote, err = mcpserver.NewRemote(context.WithoutCancel(ctx), h.mgr, r.opt, name); err != nil {
		return nil, errors.Join(err, h.mgr.Close(), dir.Close())
	}
	r.hosts[name] = h
	return h, nil
}

// drop forgets what was read of a host. It is called with mu held.
func (r *recordings) drop(name string) {
	h := r.hosts[name]
	delete(r.hosts, name)
	h.remote.Close()
	if err := errors.Join(h.mgr.Close(), h.dir.Close(), os.RemoveAll(h.dir.Path())); err != nil {
		r.log.Debug("fleet: recordings", "host", name, "err", err)
	}
}

// close removes what was read.
func (r *recordings) close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name := range r.hosts {
		r.drop(name)
	}
	if r.dir != "" {
		if err := os.RemoveAll(r.dir); err != nil {
			r.log.Debug("fleet: recordings", "err", err)
		}
		r.release()
	}
}

// session returns a session by id or name, as far as it is recorded now.
func (h *recordedHost) session(ctx context.Context, m *fleet.Member, host, ref string) (*readSession, error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	k, err := archive.Find(m, host, ref)
	if err != nil {
		return nil, err
	}
	old := h.read[k.ID]
	if old != nil && old.Recording == k.Recording && old.Last == k.Last {
		return old, nil
	}
	if old != nil {
		h.hold(old.path, nil)
		delete(h.read, k.ID)
		if err := h.mgr.Delete(k.ID); err != nil {
			return nil, err
		}
	}
	// A directory for each: sessions are adopted by their directories.
	name := fmt.Sprintf("r%d", k.Last)
	store, err := h.dir.NewSession(name)
	if err != nil {
		return nil, err
	}
	s := &readSession{Kept: k, path: h.dir.SessionPath(name)}
	if s.gaps, err = archive.Fetch(ctx, m, k, store); err == nil {
		_, err = h.mgr.Adopt(h.dir)
	}
	if err != nil {
		return nil, errors.Join(err, h.dir.RemoveSession(name))
	}
	h.hold(s.path, &k.Recording)
	h.read[k.ID] = s
	return s, nil
}

// hold notes that a recording goes with the log in a directory, nil for none.
func (h *recordedHost) hold(path string, r *fleet.Recording) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.keep, path)
	if r != nil {
		h.keep[path] = *r
	}
}

// forget removes the recording that goes with a log.
func (h *recordedHost) forget(m *fleet.Member, path string) error {
	h.mu.Lock()
	r, ok := h.keep[path]
	delete(h.keep, path)
	h.mu.Unlock()
	if !ok {
		return nil
	}
	return m.PurgeRecording(r)
}

// fetchRecording returns a recording of the fleet that is named as NODE/SESSION.
func (f *natsFlags) fetchRecording(node, ref string, o emulator.Options) (*replay.Tape, *replay.Replay, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	m, err := f.join(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	k, err := archive.Find(m, node, ref)
	if err != nil {
		return nil, nil, err
	}
	store := new(eventlog.MemStore)
	gaps, err := archive.Fetch(ctx, m, k, store)
	if err != nil {
		return nil, nil, err
	}
	if gaps != "" {
		fmt.Fprintf(os.Stderr, "glasstty: %s/%s: %s\n", node, ref, gaps)
	}
	l, err := eventlog.Open(store)
	if err != nil {
		return nil, nil, err
	}
	r := replay.New(l, o)
	return r.Tape(), r, nil
}
