package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
)

// MaxFile is the largest file that is edited, in bytes.
const MaxFile = 32 << 20

// Modes of what is made: settings may hold secrets.
const (
	newFileMode = 0o600
	newDirMode  = 0o700
)

// A Result says what Write did.
type Result struct {
	Path    string // of the file itself, links followed
	Changed bool
	Backup  string // of the old file; "" when there was none, or nothing changed
}

// Write puts the server into the client's file, which it makes when there is
// none. The old file is kept beside it, with now in its name; the new one takes
// its place in one step, with its mode. Nothing changes on an error, nor when
// the server is there already.
func (c Client) Write(path string, s Server, now time.Time) (Result, error) {
	path, err := followed(path)
	if err != nil {
		return Result{}, err
	}
	old, mode, err := read(path)
	if err != nil {
		return Result{}, err
	}
	merged, err := c.Merge(old, s)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", path, err)
	}
	res := Result{Path: path}
	if old != nil && bytes.Equal(old, merged) {
		return res, nil
	}
	if old == nil {
		if err := os.MkdirAll(filepath.Dir(path), newDirMode); err != nil {
			return Result{}, err
		}
	} else if res.Backup, err = backup(path, old, mode, now); err != nil {
		return Result{}, err
	}
	if err := replaceFile(path, old, merged, mode); err != nil {
		if res.Backup != "" {
			err = errors.Join(err, os.Remove(res.Backup))
		}
		return Result{}, err
	}
	res.Changed = true
	return res, nil
}

// followed returns the file behind links: whoever keeps his settings elsewhere
// and links to them wants the link to stay.
func followed(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, lerr := os.Lstat(path); lerr == nil {
			return "", fmt.Errorf("%s is a link that leads nowhere; repair or remove it", path)
		}
		return filepath.Abs(path)
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// read returns a file and its mode; nil when there is none.
func read(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, newFileMode, nil
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is no regular file", path)
	case info.Size() > MaxFile:
		return nil, 0, fmt.Errorf("%s has %d bytes, at most %d", path, info.Size(), MaxFile)
	}
	data, err := os.ReadFile(path)
	if data == nil {
		data = []byte{}
	}
	return data, info.Mode().Perm(), err
}

// backup keeps data beside path under a name that is free.
func backup(path string, data []byte, mode fs.FileMode, now time.Time) (string, error) {
	name := path + now.Format(".20060102-150405.bak")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", fmt.Errorf("backup: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("backup: %w", err), os.Remove(name))
	}
	return name, nil
}

// replaceFile puts merged in the place of old, unless the client has written the
// file in the meantime.
func replaceFile(path string, old, merged []byte, mode fs.FileMode) error {
	t, err := renameio.NewPendingFile(path, renameio.WithPermissions(mode), renameio.IgnoreUmask())
	if err != nil {
		return err
	}
	defer t.Cleanup()
	if _, err := t.Write(merged); err != nil {
		return err
	}
	now, _, err := read(path)
	if err != nil {
		return err
	}
	if (now == nil) != (old == nil) || !bytes.Equal(now, old) {
		return fmt.Errorf("%s was changed by another program just now; nothing was written, try again", path)
	}
	return t.CloseAtomicallyReplace()
}
