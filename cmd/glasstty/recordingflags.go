package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/replay"
)

// recordingFlags name a recording, and determine whether secrets in it are hidden.
type recordingFlags struct {
	dirFlags  `group:"Data directory"`
	natsFlags `group:"Fleet"`
	Redact    bool   `env:"GLASSTTY_REDACT" help:"Show asterisks in place of texts with the form of a secret. Only the server knows the passwords that were typed; its --redact-recordings keeps them out of recordings (default false)."`
	Source    string `arg:"" name:"recording" help:"An asciicast file, or a session by its id or name, or with --fleet NODE/SESSION."`

	hidden *mask.Mask // made by mask; nil before that, and without --redact
}

// mask returns the mask that hides secrets, or nil without --redact.
func (f *recordingFlags) mask() *mask.Mask {
	if f.Redact && f.hidden == nil {
		f.hidden = mask.New()
	}
	return f.hidden
}

// recording returns the recording that f.Source names. It is played in a terminal with the options o.
func (f *recordingFlags) recording(o emulator.Options) (*replay.Recording, error) {
	rec, err := f.find(o)
	if err != nil {
		return nil, err
	}
	return rec.Hide(f.mask()), nil
}

// find is like recording, but does not hide secrets. f.Source is the path of an asciicast file or of the
// directory of a session's log, the ID or name of a session, or NODE/SESSION in a fleet.
func (f *recordingFlags) find(o emulator.Options) (*replay.Recording, error) {
	n := f.Source
	info, err := os.Stat(n)
	switch {
	case err == nil && info.IsDir():
		return openLog(eventlog.DirStore(n), o)
	case err == nil:
		return openCast(n, o)
	}
	if node, ref, ok := strings.Cut(n, "/"); ok && fleet.CheckName(node) == nil && errors.Is(err, fs.ErrNotExist) {
		if f.Fleet == "" {
			return nil, fmt.Errorf("there is no file %s; if it is NODE/SESSION of a fleet, name the fleet's NATS server: --fleet URL or GLASSTTY_FLEET", n)
		}
		return f.fetchRecording(node, ref, o)
	}
	if !errors.Is(err, fs.ErrNotExist) || strings.ContainsRune(n, filepath.Separator) {
		return nil, err
	}
	root := f.root()
	if root == "" {
		return nil, fmt.Errorf("there is no file %s, and no data directory with logs of sessions", n)
	}
	store, err := eventlog.Find(root, n)
	if errors.Is(err, eventlog.ErrSeveral) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("there is no file %s, and %w; --data-dir names another directory", n, err)
	}
	return openLog(store, o)
}

// openLog opens the log of a session.
func openLog(store eventlog.DirStore, o emulator.Options) (*replay.Recording, error) {
	l, err := eventlog.Open(store)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", string(store), err)
	}
	m, err := eventlog.LoadMeta(store)
	l.Ended = err == nil && m.Status != string(session.StatusRunning)
	return replay.New(l, replay.Session{Terminal: o}).Recording(), nil
}

// openCast opens an asciicast file.
func openCast(path string, o emulator.Options) (*replay.Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := replay.ReadCast(f, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}
