package httpserve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/glasstty/glasstty/internal/share"
)

// maxBrowsersFile is the maximum size of the file Options.BrowsersFile in bytes.
const maxBrowsersFile = 1 << 20

// load reads the file at path, in which an earlier server has saved the browsers that it let in. A
// missing file is treated as empty. From now on, save writes to path. If path is "", neither does anything.
func (l *links) load(path string) error {
	l.path = path
	if path == "" {
		return nil
	}
	data, err := readPrivate(path, maxBrowsersFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var list []browser
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, b := range list {
		l.browsers.Add(b.Cookie, b, share.Owner{Name: b.Maker})
	}
	return nil
}

// save writes the browsers to the file, if there is one, for the next server.
func (l *links) save() error {
	if l.path == "" {
		return nil
	}
	l.saving.Lock()
	defer l.saving.Unlock()
	data, err := json.Marshal(slices.Collect(maps.Values(l.browsers.All())))
	if err != nil {
		return err
	}
	return renameio.WriteFile(l.path, data, 0o600, renameio.IgnoreUmask())
}
