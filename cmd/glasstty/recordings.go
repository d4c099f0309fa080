package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
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

// Limits on reading recordings.
const (
	maxRecorded      = 200                 // recorded sessions that list_sessions shows
	maxRestoredHosts = 8                   // hosts whose recordings are open at once
	maxRestored      = session.MaxLost - 1 // restored sessions of one host; at this number, host drops all
	// readLimit is the time limit for reading a recording.
	readLimit = time.Minute
)

// recordings serves the sessions of unreachable nodes from the fleet's recordings. It fetches each
// recording into a log, and restores the log as a lost session. It is safe for concurrent use.
type recordings struct {
	link   *fleetLink
	opt    mcpserver.Options
	mgrOpt session.Options // of the Managers of restored sessions
	log    *slog.Logger

	mu      sync.Mutex // guards the fields below, and is held while a recording is read
	dir     string     // directory of the logs; "" before the first. If this server is killed, another removes it
	release func()     // lets other servers remove dir; nil while dir is ""
	hosts   map[string]*recordedHost
}

// A recordedHost holds the sessions that were restored from one host's recordings.
type recordedHost struct {
	dir      *eventlog.Dir
	mgr      *session.Manager
	remote   *mcpserver.Remote
	restored map[string]*restoredSession // by ID

	recordings sync.Map // by log directory: the fleet.Recording to purge when the log is deleted
}

// A restoredSession is a session that was restored from a recording.
type restoredSession struct {
	archive.Entry
	path string // of the log's directory
	gaps string // describes missing parts of the recording, or ""
}

// newRecordings returns the recordings for a server with options o. The Managers of restored sessions get mgrOpt.
func newRecordings(link *fleetLink, o mcpserver.Options, mgrOpt session.Options) *recordings {
	return &recordings{link: link, opt: o, mgrOpt: mgrOpt, log: o.Logger, hosts: map[string]*recordedHost{}}
}

// Recorded implements mcpserver.Fleet.
func (l *fleetLink) Recorded(ctx context.Context, host string) (out []mcpserver.RecordedSession, more int, err error) {
	if l.recorded == nil || l.member.CheckRights() != nil {
		return nil, 0, nil
	}
	if err := l.member.Connected(); err != nil {
		return nil, 0, err
	}
	if err := l.member.AwaitRecords(ctx); err != nil {
		return nil, 0, err
	}
	all, more, err := archive.List(l.member.Recordings(), "*", maxRecorded, func(r fleet.Recording) bool {
		n := l.member.Known(r.Node)
		here := l.RunsPrograms() && r.Node == l.name
		return !here && n.Away() > 0 && fleet.Matches(host, n.State) && l.member.Allowed(ctx, r.Node)
	})
	for _, k := range all {
		i := session.Info{
			ID: k.ID, Name: k.Meta.Name, Command: k.Meta.Command, Args: k.Meta.Args, CreatedAt: k.Meta.CreatedAt,
			LastActivity: k.Until, ExitCode: k.Meta.ExitCode, Status: session.Status(k.Meta.Status),
		}
		if i.Status != session.StatusExited {
			i.Status = mcpserver.StatusUnreachable
			if l.member.Known(k.Node).Lost() {
				i.Status = session.StatusLost
			}
		}
		out = append(out, mcpserver.RecordedSession{Host: k.Node, Info: i})
	}
	return out, more, err
}

// handle answers a call from the recordings of a host. why is the error for the call to the host itself. If
// the recordings cannot answer the call, the error wraps why, or fleet.ErrLost if the host has left the
// fleet and has recordings. r may be nil.
func (r *recordings) handle(ctx context.Context, host string, body []byte, progress func([]byte), why error) ([]byte, error) {
	lost := errors.Is(why, fleet.ErrLost) || errors.Is(why, fleet.ErrNoHost)
	if r == nil || errors.Is(why, fleet.ErrNoConnection) || !lost && !errors.Is(why, fleet.ErrUnreachable) || !r.link.member.Allowed(ctx, host) || fleet.CheckName(host) != nil {
		return nil, why
	}
	r.mu.Lock()
	h, err := r.host(ctx, host)
	if h != nil && errors.Is(why, fleet.ErrNoHost) {
		why = fmt.Errorf("host %s is %w: it has left the fleet, because its server was stopped, and only its recordings are there; start the program elsewhere, or start that server", host, fleet.ErrLost)
	}
	note := ""
	if h != nil {
		note, err = r.prepare(ctx, h, host, body, lost)
	}
	r.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("%w; its recordings cannot be read: %w", why, err)
	}
	if note == "" {
		return nil, why
	}
	state := "does not answer"
	if lost {
		state = "is lost"
	}
	ctx = mcpserver.WithRecording(ctx, fmt.Sprintf("host %s %s; this is from its recording, %s", host, state, note), !lost)
	return h.remote.Handle(ctx, body, math.MaxInt, progress), nil
}

// prepare restores the sessions that a call names. The note says until when the last session that the call
// names is recorded. For a call that recordings cannot answer, the note is "". r.mu must be held.
func (r *recordings) prepare(ctx context.Context, h *recordedHost, host string, body []byte, lost bool) (note string, err error) {
	ids, onlyIfLost := h.remote.Targets(body)
	if onlyIfLost && !lost {
		return "", nil
	}
	for _, id := range ids {
		s, err := h.session(ctx, r.link.member.Recordings(), host, id)
		if err != nil {
			return "", err
		}
		note = "which goes until " + s.Until.UTC().Format(time.RFC3339)
		if s.gaps != "" {
			note += "; " + s.gaps
		}
	}
	return note, nil
}

// host returns the recordedHost of a host, or nil if the host has no recordings. If too many sessions of
// the host, or sessions of too many hosts, are restored, it drops all first. r.mu must be held.
func (r *recordings) host(ctx context.Context, name string) (*recordedHost, error) {
	if h := r.hosts[name]; h != nil && len(h.restored) < maxRestored {
		return h, nil
	}
	if all, _, err := archive.List(r.link.member.Recordings(), name, 1, archive.All); len(all) == 0 {
		return nil, err
	}
	if r.hosts[name] != nil || len(r.hosts) >= maxRestoredHosts {
		r.drop() // sessions that are needed are restored again
	}
	if r.dir == "" {
		dir, err := tempdir.Make(tempdir.Recordings)
		if err != nil {
			return nil, err
		}
		r.dir, r.release = dir, tempdir.Hold(dir)
	}
	dir, err := eventlog.OpenDir(filepath.Join(r.dir, name))
	if err != nil {
		return nil, err
	}
	h := &recordedHost{dir: dir, restored: map[string]*restoredSession{}}
	opt := r.mgrOpt
	opt.LostHint = "a recording does not show what the program does now"
	opt.Forget = func(path string, _ bool) error {
		if recording, ok := h.recordings.LoadAndDelete(path); ok {
			return r.link.member.Recordings().DeleteRecording(recording.(fleet.Recording))
		}
		return nil
	}
	h.mgr = session.NewManager(opt)
	if h.remote, err = mcpserver.NewRemote(context.WithoutCancel(ctx), h.mgr, r.opt, name); err != nil {
		return nil, errors.Join(err, h.mgr.Close(), dir.Close())
	}
	r.hosts[name] = h
	return h, nil
}

// drop removes all restored sessions of all hosts with their logs. r.mu must be held.
func (r *recordings) drop() {
	for name, h := range r.hosts {
		h.remote.Close()
		if err := errors.Join(h.mgr.Close(), h.dir.Close(), os.RemoveAll(h.dir.Path())); err != nil {
			r.log.Debug("fleet: recordings", "host", name, "err", err)
		}
	}
	clear(r.hosts)
}

// close removes all restored sessions with their logs. r may be nil.
func (r *recordings) close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop()
	if r.dir != "" {
		if err := os.RemoveAll(r.dir); err != nil {
			r.log.Debug("fleet: recordings", "err", err)
		}
		r.release()
	}
}

// session returns a session by its ID or name. It restores the session if the recording is new or has grown.
func (h *recordedHost) session(ctx context.Context, stream fleet.RecordingStream, host, ref string) (*restoredSession, error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	k, err := archive.Find(stream, host, ref)
	if err != nil {
		return nil, err
	}
	old := h.restored[k.ID]
	if old != nil && old.Recording == k.Recording && old.Last == k.Last {
		return old, nil
	}
	if old != nil {
		h.recordings.Delete(old.path)
		delete(h.restored, k.ID)
		if err := h.mgr.Delete(k.ID); err != nil {
			return nil, err
		}
	}
	// Each restored session needs a new directory, because AddLost recognises sessions by their
	// directories.
	name := fmt.Sprintf("r%d", k.Last)
	store, err := h.dir.NewSession(name)
	if err != nil {
		return nil, err
	}
	s := &restoredSession{Entry: k, path: h.dir.SessionPath(name)}
	if s.gaps, err = archive.Fetch(ctx, stream, k, store); err == nil {
		_, err = h.mgr.AddLost(h.dir)
	}
	if err != nil {
		return nil, errors.Join(err, h.dir.RemoveSession(name))
	}
	h.recordings.Store(s.path, k.Recording)
	h.restored[k.ID] = s
	return s, nil
}

// fetchRecording returns the recording of a node's session by the session's ID or name. It reports
// missing parts on standard error.
func (f *natsFlags) fetchRecording(node, ref string, o emulator.Options) (*replay.Recording, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	m, err := f.join(ctx)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	k, err := archive.Find(m.Recordings(), node, ref)
	if err != nil {
		return nil, err
	}
	store := new(eventlog.MemStore)
	gaps, err := archive.Fetch(ctx, m.Recordings(), k, store)
	if err != nil {
		return nil, err
	}
	if gaps != "" {
		fmt.Fprintf(os.Stderr, "glasstty: %s/%s: %s\n", node, ref, gaps)
	}
	l, err := eventlog.Open(store)
	if err != nil {
		return nil, err
	}
	return replay.New(l, replay.Session{Terminal: o}).Recording(), nil
}
