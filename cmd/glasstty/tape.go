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
	"github.com/glasstty/glasstty/session/replay"
)

// A tapeName names a recording: an asciicast file, the directory of a session's log, the id
// or name of a session, or NODE/SESSION in a fleet.
type tapeName string

// open returns the recording, for a terminal with the limits of o; log is nil for a
// file.
func (n tapeName) open(f *dataFlags, nats *natsFlags, o emulator.Options) (tape *replay.Tape, log *replay.Replay, err error) {
	info, err := os.Stat(string(n))
	switch {
	case err == nil && info.IsDir():
		return openLog(eventlog.DirStore(n), o)
	case err == nil:
		tape, err := openCast(string(n), o)
		return tape, nil, err
	}
	if node, ref, ok := strings.Cut(string(n), "/"); ok && nats.Fleet != "" && fleet.CheckName(node) == nil {
		return nats.fetchRecording(node, ref, o)
	}
	switch {
	case !errors.Is(err, fs.ErrNotExist) || strings.ContainsRune(string(n), filepath.Separator):
		return nil, nil, err
	}
	root := f.root()
	if root == "" {
		return nil, nil, fmt.Errorf("there is no file %s, and no data directory with logs of sessions", n)
	}
	store, err := eventlog.Find(root, string(n))
	if err != nil {
		return nil, nil, fmt.Errorf("there is no file %s, and %w; --data-dir names another directory", n, err)
	}
	return openLog(store, o)
}

// openLog opens the log of a session.
func openLog(store eventlog.DirStore, o emulator.Options) (*replay.Tape, *replay.Replay, error) {
	l, err := eventlog.Open(store)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", string(store), err)
	}
	m, err := eventlog.LoadMeta(store)
	l.Ended = err == nil && m.Status != string(session.StatusRunning)
	r := replay.New(l, o)
	return r.Tape(), r, nil
}

// openCast opens an asciicast file.
func openCast(path string, o emulator.Options) (*replay.Tape, error) {
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
