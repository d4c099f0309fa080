package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/keeper"
)

// dirFlags holds the flag for the directory of session logs.
type dirFlags struct {
	DataDir string `placeholder:"PATH" env:"GLASSTTY_DATA_DIR" help:"Directory of the session logs, for replays and for recovery after a crash (default: glasstty in the user's state directory). The value none keeps the logs in memory."`
}

// dataFlags are the flags about session logs.
type dataFlags struct {
	dirFlags
	KeepDays float64 `default:"7" min:"0.001" max:"36500" unit:"days" placeholder:"DAYS" env:"GLASSTTY_KEEP_DAYS" help:"How long logs of ended servers are kept (default ${default})."`
	KeepSize int     `default:"1024" min:"1" max:"16777216" unit:"megabytes" placeholder:"MB" env:"GLASSTTY_KEEP_SIZE" help:"Total size of the logs of ended servers, in megabytes (default ${default})."`
	LogSize  int     `default:"64" min:"1" max:"16777216" unit:"megabytes" placeholder:"MB" env:"GLASSTTY_LOG_SIZE" help:"Largest log of one session, in megabytes; beyond it the oldest part is deleted (default ${default})."`
}

// noData is the value of --data-dir for logs in memory.
const noData = "none"

// root returns the directory of the logs, or "" for logs in memory.
func (f *dirFlags) root() string {
	if f.DataDir == noData {
		return ""
	}
	if f.DataDir != "" {
		return f.DataDir
	}
	return xdgDir("XDG_STATE_HOME", ".local/state")
}

// limits returns the limits on the age and size of ended servers' logs.
func (f *dataFlags) limits() eventlog.Limits {
	return eventlog.Limits{MaxAge: seconds(f.KeepDays * 24 * 60 * 60), MaxBytes: int64(f.KeepSize) << 20}
}

// browsersPath returns the path of the list of browsers that signed in with a link, or "" for logs
// in memory.
func (f *dataFlags) browsersPath() string {
	root := f.root()
	if root == "" {
		return ""
	}
	return filepath.Join(root, "browsers.json")
}

// data holds a server's data directory, the directories of ended servers, and the keeper.
type data struct {
	own    *eventlog.Dir   // the server's directory; nil if logs are in memory
	keeper *keeper.Owner   // owns the programs; nil if they are children of the server
	others []*eventlog.Dir // the directories of ended servers, and after takeOver also own
	limits eventlog.Limits
	log    *slog.Logger

	lostAdded chan struct{} // closed when addLost has returned; until then, only addLost may use others
}

// open creates the server's data directory and prunes those of ended servers. With --data-dir none, logs
// are kept in memory. If the default directory cannot be used, they are too, after a warning.
func (f *dataFlags) open(log *slog.Logger) (*data, error) {
	d := &data{log: log, limits: f.limits()}
	root := f.root()
	if root == "" {
		return d, nil
	}
	own, err := eventlog.OpenServerDir(root, time.Now())
	if err != nil && f.DataDir == "" {
		log.Warn("sessions are logged in memory only", "err", err)
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	d.own = own
	d.prune(root)
	return d, nil
}

// prune deletes the logs that exceed d.limits, in the given directories and in the directories of ended
// servers below root. It sets d.others to the directories that it does not remove.
func (d *data) prune(root string, given ...*eventlog.Dir) {
	others, err := eventlog.Abandoned(root)
	if err == nil {
		d.others, err = eventlog.Prune(append(others, given...), d.limits, time.Now())
	}
	if err != nil {
		d.log.Warn("old logs were not all pruned", "err", err)
	}
}

// logLimits returns the options for a log of at most size megabytes, in at least four segments.
func logLimits(size int) eventlog.Options {
	o := eventlog.Options{MaxBytes: int64(size) << 20}
	if o.MaxBytes < 4*eventlog.DefaultSegmentBytes {
		o.SegmentBytes = o.MaxBytes / 4
	}
	return o
}

// lostWait is the maximum time that a starting server waits until the logs of lost sessions are
// read. The remaining sessions are listed later.
const lostWait = time.Second

// addEarlier adds the sessions of the previous server to mgr, and then lost sessions, whose programs are
// gone, the latest server's first. After lostWait it returns, and the rest of the lost sessions are added later.
func (d *data) addEarlier(ctx context.Context, mgr *session.Manager) error {
	if d.keeper != nil {
		if err := d.takeOver(ctx, mgr); err != nil {
			return err
		}
	}
	d.lostAdded = make(chan struct{})
	go func() {
		defer close(d.lostAdded)
		d.addLost(mgr)
	}()
	limit := time.NewTimer(lostWait)
	defer limit.Stop()
	select {
	case <-d.lostAdded:
	case <-limit.C:
	}
	return nil
}

// addLost adds the lost sessions in d.others to mgr. It closes the directories without lost sessions, so
// that the next server can prune them.
func (d *data) addLost(mgr *session.Manager) {
	var remaining []*eventlog.Dir
	for _, o := range slices.Backward(d.others) {
		n, err := mgr.AddLost(o)
		if err != nil {
			d.log.Warn("a lost session cannot be read", "err", err)
		}
		switch {
		case o == d.own: // close closes it
		case n > 0:
			remaining = append(remaining, o)
		default:
			if err := o.Close(); err != nil {
				d.log.Warn("a data directory could not be closed", "err", err)
			}
		}
	}
	d.others = remaining
}

// close closes the directories. Without a keeper, it prunes them first. With a keeper it does not, because
// programs may still be running and writing logs.
func (d *data) close() (err error) {
	if d.own == nil {
		return nil
	}
	if d.lostAdded != nil {
		<-d.lostAdded
	}
	dirs := append(d.others, d.own)
	if d.keeper == nil {
		dirs, err = eventlog.Prune(dirs, d.limits, time.Now())
	}
	for _, o := range dirs {
		err = errors.Join(err, o.Close())
	}
	return err
}
