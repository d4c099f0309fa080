package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/keeper"
	"github.com/glasstty/glasstty/session/mask"
)

// keeperCmd owns the programs of a server, so that they outlive it. The server starts it.
type keeperCmd struct {
	DataDir string `required:"" placeholder:"DIR" help:"The server's data directory."`
	Redact  bool   `help:"Hide secrets in the logs."`
	LogSize int    `default:"64" min:"1" placeholder:"MB" help:"How large the log of one session may be, in megabytes (default ${default})."`
}

// Help returns the command's longer description.
func (*keeperCmd) Help() string {
	return "glasstty serve starts it. It owns the programs and their terminals, and keeps running when the server is " +
		"killed or replaced, until no program is left. SIGTERM ends it and all its programs."
}

func (c *keeperCmd) run(ctx context.Context, _ stdio) error {
	err := c.keep(ctx)
	if err != nil {
		keeper.Ready(err)
	}
	return err
}

// keep serves one server after the other.
func (c *keeperCmd) keep(ctx context.Context) error {
	l, err := localsock.Listen(ctx, filepath.Join(c.DataDir, keeper.SocketName))
	if err != nil {
		return err
	}
	limits := logLimits(c.LogSize)
	if c.Redact {
		limits.Mask = mask.New()
	}
	k, err := keeper.New(keeper.Options{Log: limits, NewStore: func(s child.Spec) (eventlog.Store, error) {
		return eventlog.OpenStore(c.DataDir, s.ID)
	}})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	keeper.Ready(nil)
	return k.Serve(ctx, l)
}

// A dataDir is a server's data directory and the keeper of its programs.
type dataDir struct {
	dir   *eventlog.Dir
	owner *keeper.Owner
	past  *data // directories of servers that have ended
}

// openDataDir opens a data directory and connects to its keeper, or starts one. With replace
// it takes over from the server that uses the directory.
func openDataDir(ctx context.Context, path string, size int, hide, replace bool) (*dataDir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	var before *keeper.Owner
	if replace {
		if before, err = takeKeeper(ctx, ownerOptions(path, size, hide)); err != nil {
			return nil, err
		}
	}
	dir, err := openDir(ctx, path, replace)
	if err != nil {
		if before != nil {
			before.Leave()
		}
		return nil, err
	}
	if before != nil {
		return &dataDir{dir: dir, owner: before}, nil
	}
	owner, err := keeper.Open(ctx, ownerOptions(path, size, hide))
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &dataDir{dir: dir, owner: owner}, nil
}

// ownerOptions returns the options for the keeper of a data directory.
func ownerOptions(path string, size int, hide bool) keeper.OwnerOptions {
	return keeper.OwnerOptions{
		Dir:   path,
		Spawn: func(ctx context.Context) error { return spawnKeeper(ctx, path, size, hide) },
		Store: func(id string) (eventlog.Store, error) {
			return eventlog.DirStore(filepath.Join(path, "sessions", id)), nil
		},
	}
}

// takeKeeper takes the keeper over from the server that uses it, nil when there is
// no keeper.
func takeKeeper(ctx context.Context, o keeper.OwnerOptions) (*keeper.Owner, error) {
	o.Replace = true
	spawn := o.Spawn
	o.Spawn = func(context.Context) error { return localsock.ErrNoServer }
	owner, err := keeper.Open(ctx, o)
	if errors.Is(err, localsock.ErrNoServer) {
		return nil, nil
	}
	if err == nil {
		owner.SetSpawn(spawn)
	}
	return owner, err
}

// How long a replaced server may take to end, and how often its lock is tried: a wait in
// flock(2) cannot be cancelled.
const (
	goLimit = 15 * time.Second
	goPause = 20 * time.Millisecond
)

// openDir opens the data directory. With wait it waits until the previous server has ended.
func openDir(ctx context.Context, path string, wait bool) (*eventlog.Dir, error) {
	limit := time.After(goLimit)
	for {
		dir, err := eventlog.OpenDir(path)
		if !wait || !errors.Is(err, eventlog.ErrLocked) {
			return dir, err
		}
		select {
		case <-time.After(goPause):
		case <-limit:
			return nil, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// keeperLog is the keeper's log file in the data directory. It is truncated at
// maxKeeperLog bytes.
const (
	keeperLog    = "keeper.log"
	maxKeeperLog = 1 << 20
)

// spawnKeeper starts the keeper of a data directory.
func spawnKeeper(ctx context.Context, path string, size int, hide bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	name := filepath.Join(path, keeperLog)
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(name); err == nil && info.Size() > maxKeeperLog {
		flags |= os.O_TRUNC
	}
	log, err := os.OpenFile(name, flags, 0o600)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		log = nil // a full or read-only disk: the keeper works without its log
	}
	if log != nil {
		defer log.Close()
	}
	argv := []string{self, "keeper", "--data-dir", path, "--log-size", strconv.Itoa(size)}
	if hide {
		argv = append(argv, "--redact")
	}
	return keeper.Spawn(ctx, argv, log)
}

// takeOver gives mgr the sessions of the previous server, and lists the lost ones.
func (d *dataDir) takeOver(ctx context.Context, mgr *session.Manager, f *dataFlags, log *slog.Logger) error {
	found, err := d.owner.Adopt(ctx)
	if err != nil {
		return fmt.Errorf("take over the sessions: %w", err)
	}
	all, err := d.dir.Sessions()
	if err != nil {
		return err
	}
	if err := mgr.TakeOver(found, slices.Collect(maps.Keys(all))); err != nil {
		log.Warn("some sessions were restored only in part", "err", err)
	}
	var living []string
	for _, f := range found {
		living = append(living, f.ID)
	}
	d.dir.Hold(living...)
	d.past = f.openPast(d.dir, log)
	d.past.adopt(mgr)
	return nil
}

// close closes the data directory.
func (d *dataDir) close() error {
	if d == nil {
		return nil
	}
	return errors.Join(d.past.closeOthers(), d.dir.Close())
}
