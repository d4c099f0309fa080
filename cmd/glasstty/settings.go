package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
)

// configVar is the variable that names the settings file.
const configVar = "GLASSTTY_CONFIG"

// settingsFile returns the path of the settings file: the one that configVar names (named is then
// true), or glasstty/config.toml in $XDG_CONFIG_HOME or else in ~/.config. It returns "" if the home
// directory is unknown.
func settingsFile() (path string, named bool) {
	if path := os.Getenv(configVar); path != "" {
		return path, true
	}
	if dir := xdgDir("XDG_CONFIG_HOME", ".config"); dir != "" {
		path = filepath.Join(dir, "config.toml")
	}
	return path, false
}

// xdgDir returns glasstty's directory in the directory that a variable of the XDG Base Directory
// Specification names. If the variable does not hold an absolute path, xdgDir uses the directory inHome of
// the home directory. If that is unknown, it returns "".
func xdgDir(variable, inHome string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "glasstty")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, inHome, "glasstty")
}

// readSettings returns the values in a TOML file by key. It does not check the keys. If the file does not
// exist, the error wraps fs.ErrNotExist.
func readSettings(path string) (doc map[string]any, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	err = toml.Unmarshal(data, &doc)
	if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
		row, col := at.Position()
		return nil, fmt.Errorf("%s: line %d, column %d: %w", path, row, col, err)
	}
	return doc, err
}
