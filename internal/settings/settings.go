// Package settings reads a program's settings from a TOML file of plain values. It knows
// no setting: the caller says which there are.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
)

// maxFile bounds a file of settings, in bytes.
const maxFile = 1 << 20

// Path returns the file of a program's settings: config.toml in its directory
// below $XDG_CONFIG_HOME, or below ~/.config; "" when there is no home directory.
func Path(program string) string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil || home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, program, "config.toml")
}

// Read returns the values of the file at path by their keys. The error is fs.ErrNotExist
// when there is no such file.
func Read(path string) (map[string]any, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && info.Size() > maxFile:
		err = fmt.Errorf("%s has %d bytes; at most %d", path, info.Size(), maxFile)
	}
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	var doc map[string]any
	if err := toml.Unmarshal(data, &doc); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, col := at.Position()
			return nil, fmt.Errorf("settings: %s: line %d, column %d: %w", path, row, col, err)
		}
		return nil, fmt.Errorf("settings: %s: %w", path, err)
	}
	return doc, nil
}
