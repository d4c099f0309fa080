// Package settings reads a program's settings from a TOML file of plain values,
// and the names of another program's environment variables. It knows no setting:
// the caller says which there are.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pelletier/go-toml/v2"
)

// maxFile bounds a file of settings, in bytes.
const maxFile = 1 << 20

// A File holds the settings of one file by their keys: a string for a plain
// value, a list of strings for a list.
type File map[string]any

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

// Read reads the file at path. The error wraps ErrFile, or is fs.ErrNotExist when
// there is no such file.
func Read(path string) (File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%w: %s has %d bytes; at most %d", ErrFile, path, info.Size(), maxFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFile, path, err)
	}
	return f, nil
}

// Parse reads settings written in TOML.
func Parse(data []byte) (File, error) {
	var doc map[string]any
	if err := toml.Unmarshal(data, &doc); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, col := at.Position()
			return nil, fmt.Errorf("line %d, column %d: %w", row, col, err)
		}
		return nil, err
	}
	f := File{}
	for key, val := range doc {
		if list, ok := val.([]any); ok {
			words := make([]any, len(list))
			for i, v := range list {
				word, err := plain(v)
				if err != nil {
					return nil, fmt.Errorf("%s, element %d: %w", key, i, err)
				}
				words[i] = word
			}
			f[key] = words
			continue
		}
		word, err := plain(val)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		f[key] = word
	}
	return f, nil
}

// plain returns a value as a flag would be written.
func plain(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return "", fmt.Errorf("a setting is a string, a number, true, false or a list of these, not %T", v)
}
