package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"golang.org/x/term"
)

// outFlags are the flags for a command's output file.
type outFlags struct {
	Output string `short:"o" placeholder:"FILE" help:"Write to this file, in the format that its suffix names (default: standard output)."`
}

// pictures are the suffixes that fix the format: a file with one of them cannot have another format.
var pictures = []string{"png", "gif", "svg"}

// format returns the format to write: given or, if given is "", the format to which formats maps the file's
// suffix. If there is no file either, it returns usual.
func (f outFlags) format(given, usual string, formats map[string]string) (string, error) {
	suffix := strings.ToLower(filepath.Ext(f.Output))
	if picture := strings.TrimPrefix(suffix, "."); slices.Contains(pictures, picture) && given != "" && given != picture {
		return "", usageError(fmt.Errorf("-o %s: the suffix names %s and the format is %s; leave one of them out", f.Output, picture, given))
	}
	if given != "" || f.Output == "" {
		return cmp.Or(given, usual), nil
	}
	if format, ok := formats[suffix]; ok {
		return format, nil
	}
	wrong := fmt.Sprintf("the suffix %q names no format", suffix)
	if suffix == "" {
		wrong = "the name has no suffix that names a format"
	}
	return "", usageError(fmt.Errorf("-o %s: %s; end it in one of %s, or give a format",
		f.Output, wrong, strings.Join(slices.Sorted(maps.Keys(formats)), " ")))
}

// checkTerminal returns an error if a PNG or a GIF would be written to a terminal.
func (f outFlags) checkTerminal(std stdio, format string) error {
	if f.Output == "" && (format == "png" || format == "gif") && term.IsTerminal(int(std.out.Fd())) {
		return usageError(fmt.Errorf("a %s cannot be shown in a terminal; write it to a file: -o FILE.%s", format, format))
	}
	return nil
}

// outMode is the mode of new files: a terminal's content may be private.
const outMode = 0o600

// write writes data to the output. It replaces a regular file atomically, and writes to other files in place.
func (f outFlags) write(ctx context.Context, std stdio, data []byte) error {
	if f.Output == "" {
		_, err := std.out.Write(data)
		return err
	}
	if info, err := os.Stat(f.Output); err == nil && !info.Mode().IsRegular() {
		// A pipe or a device must not be replaced, and a pipe may wait for its reader forever.
		done := make(chan error, 1)
		go func() { done <- os.WriteFile(f.Output, data, outMode) }()
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := renameio.WriteFile(f.Output, data, outMode, renameio.IgnoreUmask())
	if pathErr := (&fs.PathError{}); errors.As(err, &pathErr) {
		pathErr.Path = f.Output // not the path of the temporary file
	}
	return err
}
