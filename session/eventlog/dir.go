package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/owned"
)

// The names in a data directory.
const (
	versionName  = "version"
	lockName     = "lock"
	sessionsName = "sessions"
	serversName  = "servers"
)

// dirVersion is the version of a data directory's layout.
const dirVersion = 1

// A Dir is an open data directory. While a server has it open, no other server can open it. It contains:
//
//	version          of the layout
//	lock             locked by the server; contains its process id
//	sessions/ID/     a session's log
//
// A Dir is safe for concurrent use.
type Dir struct {
	path    string
	lock    *os.File
	keepIDs map[string]bool // IDs of the sessions that Prune keeps; nil if KeepSessions was not called
}

// OpenDir opens the data directory at path for a server, and creates the directory if it is missing.
// The error wraps ErrVersion if the layout is newer than this program. If another server is using
// the directory, the error wraps ErrLocked and names the server's process.
func OpenDir(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := makeDir(path); err != nil {
		return nil, err
	}
	// Check the version before locking: the lock file must not be created in a directory of
	// another program.
	if _, err := checkVersion(path); err != nil {
		return nil, err
	}
	lock, err := takeLock(filepath.Join(path, lockName))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d := &Dir{path: path, lock: lock}
	if err := prepare(path, sessionsName); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// makeDir creates a directory if it is missing. It refuses a directory of another user, because
// that user could read everything that programs show.
func makeDir(path string) error {
	dir, err := owned.Open(path)
	if err != nil {
		return err
	}
	return dir.Close()
}

// prepare creates the version file and the directory sub, if they are missing, in a data directory or
// in a root that servers share. A directory may be both: with a version file, sub may still be missing.
func prepare(path, sub string) error {
	version, err := checkVersion(path)
	if err == nil {
		err = makeDir(filepath.Join(path, sub))
	}
	if err != nil || version == dirVersion {
		return err
	}
	return DirStore(path).Put(versionName, fmt.Appendf(nil, "%d\n", dirVersion))
}

// checkVersion returns the version of a directory's layout, or 0 if there is no version file.
// Without a version file, it returns an error if the directory contains a file that does not
// belong to a data directory. It ignores hidden files.
func checkVersion(path string) (int, error) {
	b, err := os.ReadFile(filepath.Join(path, versionName))
	if errors.Is(err, fs.ErrNotExist) {
		list, err := os.ReadDir(path)
		for _, e := range list {
			if !slices.Contains([]string{lockName, sessionsName, serversName}, e.Name()) && !strings.HasPrefix(e.Name(), ".") {
				return 0, fmt.Errorf("%s is not a data directory of glasstty: it holds %s; give an empty one", path, e.Name())
			}
		}
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	switch {
	case err != nil || n < 1:
		return 0, fmt.Errorf("%s says %.20q, which is not a version; give another data directory", filepath.Join(path, versionName), b)
	case n > dirVersion:
		return 0, fmt.Errorf("%s has layout %d: %w; this one reads layouts up to %d; give another data directory", path, n, ErrVersion, dirVersion)
	}
	return n, nil
}

// KeepSessions makes Prune keep the directory and the logs of these sessions, and of no others. It
// must not be called while Prune is running.
func (d *Dir) KeepSessions(ids ...string) {
	d.keepIDs = map[string]bool{}
	for _, id := range ids {
		d.keepIDs[id] = true
	}
}

// Close releases the directory's lock.
func (d *Dir) Close() error { return d.lock.Close() }

// Path returns the directory's path.
func (d *Dir) Path() string { return d.path }

// maxID is the maximum length of a session ID, in bytes.
const maxID = 32

// checkID returns an error unless id consists of 1 to maxID lower-case letters and digits.
func checkID(id string) error {
	invalid := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }
	if id == "" || len(id) > maxID || strings.ContainsFunc(id, invalid) {
		return fmt.Errorf("%w: %.40q", ErrName, id)
	}
	return nil
}

// SessionPath returns the directory of a session's log.
func (d *Dir) SessionPath(id string) string { return filepath.Join(d.path, sessionsName, id) }

// NewSession creates the directory for the log of a session. The directory must not exist.
func (d *Dir) NewSession(id string) (DirStore, error) {
	if err := checkID(id); err != nil {
		return "", err
	}
	path := d.SessionPath(id)
	return DirStore(path), os.Mkdir(path, dirMode)
}

// OpenStore returns the store of a session's log in the data directory at path. A server may have
// the directory open.
func OpenStore(path, id string) (Store, error) {
	return DirStore(filepath.Join(path, sessionsName, id)), checkID(id)
}

// Sessions returns the stores of all sessions in the directory, by ID.
func (d *Dir) Sessions() (map[string]DirStore, error) {
	list, err := os.ReadDir(filepath.Join(d.path, sessionsName))
	stores := map[string]DirStore{}
	for _, e := range list {
		if e.IsDir() && checkID(e.Name()) == nil {
			stores[e.Name()] = DirStore(d.SessionPath(e.Name()))
		}
	}
	return stores, err
}

// RemoveSession removes a session's log.
func (d *Dir) RemoveSession(id string) error {
	if err := checkID(id); err != nil {
		return err
	}
	return os.RemoveAll(d.SessionPath(id))
}

// OpenServerDir creates a data directory in root, for a server that shares root with others:
//
//	version               of the layout
//	servers/TIME-PID/     the data directory of one server
func OpenServerDir(root string, now time.Time) (*Dir, error) {
	if err := makeDir(root); err != nil {
		return nil, err
	}
	if err := prepare(root, serversName); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s-%d", now.UTC().Format("20060102t150405"), os.Getpid())
	path := filepath.Join(root, serversName, name)
	for n := 2; ; n++ {
		d, err := OpenDir(path)
		if !errors.Is(err, ErrLocked) {
			return d, err
		}
		// Another server in this process uses the name.
		path = filepath.Join(root, serversName, fmt.Sprintf("%s-%d", name, n))
	}
}

// Abandoned opens the data directories in root whose servers have ended. It skips a directory that
// cannot be opened.
func Abandoned(root string) ([]*Dir, error) {
	shared := filepath.Join(root, serversName)
	list, err := os.ReadDir(shared)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []*Dir
	for _, e := range list {
		if !e.IsDir() {
			continue
		}
		if d, err := OpenDir(filepath.Join(shared, e.Name())); err == nil {
			out = append(out, d)
		}
	}
	return out, err
}

// Find returns the log of the running session that has this ID or name, in the data directory at root or
// in those of the servers that share root. If several such sessions are running, the error wraps
// ErrSeveral and lists their logs. If none is running, Find returns the newest log. If a log's metadata
// cannot be read, Find compares only the ID. If it finds no log, the error wraps ErrNoLog. The log may
// still grow.
func Find(root, session string) (DirStore, error) {
	var found DirStore
	var newest time.Time
	var running []string
	for _, below := range []string{serversName + "/*/", ""} {
		paths, err := fs.Glob(os.DirFS(root), below+sessionsName+"/*")
		if err != nil {
			return "", err
		}
		for _, p := range paths {
			st := DirStore(filepath.Join(root, p))
			m, err := LoadMeta(st)
			if errors.Is(err, ErrNoLog) {
				m, err = startMeta(st)
			}
			if err != nil || m.Session != session && m.Name != session {
				continue
			}
			if m.Status == "running" && isLocked(filepath.Join(string(st), "..", "..", lockName)) {
				running = append(running, string(st))
			}
			if !m.CreatedAt.Before(newest) {
				found, newest = st, m.CreatedAt
			}
		}
	}
	switch {
	case len(running) > 1:
		return "", fmt.Errorf("%w %q; choose one by the directory of its log:\n  %s", ErrSeveral, session, strings.Join(running, "\n  "))
	case len(running) == 1:
		return DirStore(running[0]), nil
	case found == "":
		return "", fmt.Errorf("%w of a session %q in %s", ErrNoLog, session, root)
	}
	return found, nil
}

// startMeta returns the metadata that the directory's name and the first segment contain.
func startMeta(st DirStore) (Meta, error) {
	l, err := Open(st)
	if err != nil {
		return Meta{}, err
	}
	return Meta{Session: filepath.Base(string(st)), CreatedAt: l.Segments[0].Start}, nil
}
