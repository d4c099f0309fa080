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

// Modes of new files and directories.
const (
	newFileMode      = 0o600
	instructionsMode = 0o644
	newDirMode       = 0o700
)

// A Result describes what Write did.
type Result struct {
	Path    string // absolute path of the file, without symbolic links
	Changed bool
	Backup  string // path of the backup; "" if there is none
}

// Write adds the server to the client's file, and creates the file if needed. If remove is true, it
// removes the server, and the file if it would be empty. It replaces the file atomically and keeps
// the file's mode. It makes a backup of settings, with now in its name, but not of instructions. On
// an error, the file stays as it was.
func (c Client) Write(path string, s Server, remove bool, now time.Time) (Result, error) {
	path, err := resolveLinks(path)
	if err != nil {
		return Result{}, err
	}
	old, mode, err := c.read(path)
	if err != nil {
		return Result{}, err
	}
	text, err := c.edit(old, s, remove)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", path, err)
	}
	res := Result{Path: path}
	if (old == nil) == (text == nil) && bytes.Equal(old, text) {
		return res, nil
	}
	if old == nil {
		if err := os.MkdirAll(filepath.Dir(path), newDirMode); err != nil {
			return Result{}, err
		}
	} else if res.Backup, err = c.backup(path, old, mode, now); err != nil {
		return Result{}, err
	}
	if text == nil {
		err = os.Remove(path)
	} else {
		err = c.replaceFile(path, old, text, mode)
	}
	if err != nil {
		if res.Backup != "" {
			err = errors.Join(err, os.Remove(res.Backup))
		}
		return Result{}, err
	}
	res.Changed = true
	return res, nil
}

// resolveLinks returns the absolute path without symbolic links, so that Write replaces the settings
// file and not a link to it.
func resolveLinks(path string) (string, error) {
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

// read returns the text of a file and its mode. For a missing file, it returns nil and the mode of a
// new file. A new settings file is private, because settings may contain secrets.
func (c Client) read(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if c.HasInstructions() {
			return nil, instructionsMode, nil
		}
		return nil, newFileMode, nil
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	}
	data, err := os.ReadFile(path)
	if data == nil {
		data = []byte{}
	}
	return data, info.Mode().Perm(), err
}

// backup writes data to a new file next to path and returns its path. It makes no backup of
// instructions: clients would read the backup, and only our text changes.
func (c Client) backup(path string, data []byte, mode fs.FileMode, now time.Time) (string, error) {
	if c.HasInstructions() {
		return "", nil
	}
	name := path + now.Format(".20060102-150405.000.bak")
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

// replaceFile replaces the file's text old with merged. It returns an error if the file has changed
// since old was read.
func (c Client) replaceFile(path string, old, merged []byte, mode fs.FileMode) error {
	t, err := renameio.NewPendingFile(path, renameio.WithPermissions(mode), renameio.IgnoreUmask())
	if err != nil {
		return err
	}
	defer t.Cleanup()
	if _, err := t.Write(merged); err != nil {
		return err
	}
	now, _, err := c.read(path)
	if err != nil {
		return err
	}
	if (now == nil) != (old == nil) || !bytes.Equal(now, old) {
		return fmt.Errorf("%s was changed by another program just now; nothing was written, try again", path)
	}
	return t.CloseAtomicallyReplace()
}
