package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/keeper"
	"github.com/glasstty/glasstty/session/mask"
)

// keeperCmd runs the keeper, which owns a server's programs so that they outlive the server. Servers start it.
type keeperCmd struct {
	DataDir string `arg:"" help:"The server's data directory."`
	Redact  bool   `help:"Hide secrets in the logs."`
	LogSize int    `min:"1" help:"How large the log of one session may be, in megabytes."`
}

// keeperReady is the output of a keeper that listens. A keeper that cannot listen prints the reason instead.
const keeperReady = "ready\n"

// run runs the keeper, for one server at a time, until no program is left.
func (c *keeperCmd) run(ctx context.Context, std stdio) error {
	k, l, err := c.listen(ctx)
	if err != nil {
		fmt.Fprintln(std.out, err)
		return err
	}
	_, _ = io.WriteString(std.out, keeperReady) // an error means that the server has ended
	return k.Serve(ctx, l)
}

// listen returns the keeper and its listener.
func (c *keeperCmd) listen(ctx context.Context) (*keeper.Keeper, *localsock.Listener, error) {
	l, err := localsock.Listen(ctx, filepath.Join(c.DataDir, keeper.SocketName))
	if err != nil {
		return nil, nil, err
	}
	limits := logLimits(c.LogSize)
	if c.Redact {
		limits.Mask = mask.New()
	}
	k, err := keeper.New(keeper.Options{Dir: c.DataDir, Log: limits})
	if err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return k, l, nil
}

// openKept opens the data directory and connects to the directory's keeper, or starts one. If hide is true,
// the keeper hides secrets in the logs. If replace is true, openKept makes the server that uses the
// directory, if there is one, hand over its programs, and waits until that server has ended.
func (f *dataFlags) openKept(ctx context.Context, hide, replace bool, log *slog.Logger) (*data, error) {
	path, err := filepath.Abs(f.root())
	if err != nil {
		return nil, err
	}
	opt := keeper.OwnerOptions{
		Dir:    path,
		Redact: hide,
		Spawn:  func(ctx context.Context) error { return spawnKeeper(ctx, path, f.LogSize, hide) },
	}
	var owner *keeper.Owner // nil until a keeper was opened; there may be none to replace
	if replace {
		replacing := opt
		replacing.Replace = true
		if owner, err = keeper.Open(ctx, replacing); err != nil && !errors.Is(err, localsock.ErrNoServer) {
			return nil, err
		}
	}
	dir, err := openDir(ctx, path, replace)
	if err != nil && owner != nil {
		err = errors.Join(err, owner.Close())
	}
	if err != nil {
		return nil, err
	}
	if owner == nil {
		if owner, err = keeper.Open(ctx, opt); err != nil {
			return nil, errors.Join(err, dir.Close())
		}
	}
	return &data{own: dir, keeper: owner, limits: f.limits(), log: log}, nil
}

// The time limit for a replaced server to end, and the interval at which openDir tries to lock the
// directory. openDir polls because a blocking flock(2) cannot be cancelled.
const (
	replacedLimit = 15 * time.Second
	lockInterval  = 20 * time.Millisecond
)

// openDir opens the data directory. If wait is true, it waits up to replacedLimit until no server uses it.
func openDir(ctx context.Context, path string, wait bool) (*eventlog.Dir, error) {
	ctx, cancel := context.WithTimeout(ctx, replacedLimit)
	defer cancel()
	for {
		dir, err := eventlog.OpenDir(path)
		if !wait || !errors.Is(err, eventlog.ErrLocked) || pause(ctx, lockInterval) != nil {
			return dir, err
		}
	}
}

// keeperLog is the keeper's log file in the data directory. If it has more than maxKeeperLog
// bytes when a keeper starts, it is truncated.
const (
	keeperLog    = "keeper.log"
	maxKeeperLog = 1 << 20
)

// spawnKeeper starts the keeper of the data directory at path, and waits until it listens. size is the
// maximum size of one session's log in megabytes. If hide is true, the keeper hides secrets in the logs.
func spawnKeeper(ctx context.Context, path string, size int, hide bool) error {
	name := filepath.Join(path, keeperLog)
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(name); err == nil && info.Size() > maxKeeperLog {
		flags |= os.O_TRUNC
	}
	log, err := os.OpenFile(name, flags, 0o600)
	if err == nil { // otherwise, for example on a full or read-only disk, the keeper works without its log
		defer log.Close()
	}
	args := []string{"keeper", path, "--log-size", strconv.Itoa(size)}
	if hide {
		args = append(args, "--redact")
	}
	output, err := startDetached(ctx, "/", args, log)
	if err == nil && output != keeperReady {
		err = errors.New(strings.TrimSpace(output))
	}
	return err
}

// takeOver adds the sessions of the previous server to mgr, and prunes the logs of other sessions.
func (d *data) takeOver(ctx context.Context, mgr *session.Manager) error {
	programs, err := d.keeper.TakeOver(ctx)
	if err != nil {
		return fmt.Errorf("take over the sessions: %w", err)
	}
	all, err := d.own.Sessions()
	if err != nil {
		return err
	}
	if err := mgr.TakeOver(programs, slices.Collect(maps.Keys(all))); err != nil {
		d.log.Warn("some sessions were restored only in part", "err", err)
	}
	var running []string
	for _, f := range programs {
		running = append(running, f.ID)
	}
	d.own.KeepSessions(running...)
	d.prune(d.own.Path(), d.own)
	return nil
}
