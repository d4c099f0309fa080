package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/eventlog"
)

// dataFlags are the settings of the sessions' logs.
type dataFlags struct {
	DataDir  string  `placeholder:"PATH" env:"GLASSTTY_DATA_DIR" help:"Directory for the logs of sessions, from which they are replayed, and restored after a crash (default: glasstty in the user's state directory); none keeps the logs in memory."`
	KeepDays float64 `default:"7" min:"0.001" max:"36500" unit:"days" placeholder:"DAYS" env:"GLASSTTY_KEEP_DAYS" help:"How long logs of ended servers are kept (default ${default})."`
	KeepSize int     `default:"1024" min:"1" max:"16777216" unit:"megabytes" placeholder:"MB" env:"GLASSTTY_KEEP_SIZE" help:"Total size of the logs of ended servers, in megabytes (default ${default})."`
	LogSize  int     `default:"64" min:"1" max:"16777216" unit:"megabytes" placeholder:"MB" env:"GLASSTTY_LOG_SIZE" help:"Largest log of one session, in megabytes; beyond it the oldest part is deleted (default ${default})."`
}

// noData is the value of --data-dir for logs in memory.
const noData = "none"

// root returns the directory of the logs, "" for logs in memory.
func (f *dataFlags) root() string {
	if f.DataDir == noData {
		return ""
	}
	if f.DataDir != "" {
		return f.DataDir
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "glasstty")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "glasstty")
}

// limits returns the age and size to which logs of ended servers are kept.
func (f *dataFlags) limits() eventlog.Limits {
	return eventlog.Limits{MaxAge: seconds(f.KeepDays * 24 * 60 * 60), MaxBytes: int64(f.KeepSize) << 20}
}

// browsers returns the file with the browsers that links have let in, "" for none.
func (f *dataFlags) browsers() string {
	root := f.root()
	if root == "" {
		return ""
	}
	return filepath.Join(root, "browsers.json")
}

// data are the data directories of a server: its own, and those of ended servers.
type data struct {
	own    *eventlog.Dir // nil: logs are in memory
	others []*eventlog.Dir
	limits eventlog.Limits
	log    *slog.Logger

	adopted chan struct{} // closed when adopt is done; until then only adopt uses others
}

// open opens the server's data directory and prunes those of ended servers. When the default
// directory cannot be used, it logs a warning, and logs are in memory.
func (f *dataFlags) open(log *slog.Logger) (*data, error) {
	d := &data{log: log, limits: f.limits()}
	root := f.root()
	if root == "" {
		return d, nil
	}
	now := time.Now()
	own, err := eventlog.OpenOwn(root, now)
	if err != nil && f.DataDir == "" {
		log.Warn("sessions are logged in memory only", "err", err)
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	d.own = own
	others, err := eventlog.Abandoned(root)
	if err == nil {
		d.others, err = eventlog.Prune(others, d.limits, now)
	}
	if err != nil {
		log.Warn("old logs", "err", err)
	}
	return d, nil
}

// openPast prunes own and the data directories of ended servers, and opens the remaining
// ones, including own.
func (f *dataFlags) openPast(own *eventlog.Dir, log *slog.Logger) *data {
	d := &data{own: own, log: log, limits: f.limits()}
	others, err := eventlog.Abandoned(own.Path())
	if err == nil {
		d.others, err = eventlog.Prune(append(others, own), d.limits, time.Now())
	}
	if err != nil {
		log.Warn("old logs", "err", err)
	}
	return d
}

// closeOthers closes the directories of ended servers.
func (d *data) closeOthers() error {
	if d == nil {
		return nil
	}
	d.settle()
	var err error
	for _, o := range d.others {
		if o != d.own {
			err = errors.Join(err, o.Close())
		}
	}
	return err
}

// options puts the data directory into a Manager's options.
func (d *data) options(f *dataFlags, o session.Options) session.Options {
	o.Data, o.Log = d.own, logLimits(f.LogSize)
	return o
}

// logLimits returns the limits of a log of a size in megabytes.
func logLimits(size int) eventlog.Options {
	o := eventlog.Options{MaxBytes: int64(size) << 20}
	if o.MaxBytes < 4*eventlog.DefaultSegmentBytes {
		o.SegmentBytes = o.MaxBytes / 4
	}
	return o
}

// adoptLimit is how long a server's start waits for the logs of lost sessions to be read.
// Sessions that take longer are listed later.
const adoptLimit = time.Second

// adopt lists the sessions that earlier servers have lost, the latest first.
func (d *data) adopt(mgr *session.Manager) {
	d.adopted = make(chan struct{})
	go func() {
		defer close(d.adopted)
		d.adoptAll(mgr)
	}()
	limit := time.NewTimer(adoptLimit)
	defer limit.Stop()
	select {
	case <-d.adopted:
	case <-limit.C:
	}
}

// settle waits until adopt is done.
func (d *data) settle() {
	if d.adopted != nil {
		<-d.adopted
	}
}

// adoptAll is adopt without a time limit. It ends soon after mgr is closed. Directories
// without lost sessions are closed and left to pruning.
func (d *data) adoptAll(mgr *session.Manager) {
	var kept []*eventlog.Dir
	for _, o := range slices.Backward(d.others) {
		n, err := mgr.Adopt(o)
		if err != nil {
			d.log.Warn("a lost session cannot be read", "err", err)
		}
		if n > 0 || o == d.own {
			kept = append(kept, o)
		} else if err := o.Close(); err != nil {
			d.log.Warn("close a data directory", "err", err)
		}
	}
	d.others = kept
}

// close closes the directories and removes those without a log.
func (d *data) close() error {
	if d == nil || d.own == nil {
		return nil
	}
	d.settle()
	left, err := eventlog.Prune(append(d.others, d.own), d.limits, time.Now())
	for _, o := range left {
		err = errors.Join(err, o.Close())
	}
	d.own, d.others = nil, nil
	return err
}
