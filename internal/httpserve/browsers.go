package httpserve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/google/renameio/v2"

	"github.com/glasstty/glasstty/internal/share"
)

// A keptBrowser is an entry of the file Options.Browsers.
type keptBrowser struct {
	Hash hash `json:"hash"` // of the cookie
	browser
}

// maxBrowsersFile is the maximum size of the file in bytes.
const maxBrowsersFile = 1 << 20

// load reads the browsers that an earlier server let in and that have not expired. A missing
// file counts as empty.
func (l *links) load(path string) error {
	l.path = path
	if path == "" {
		return nil
	}
	data, _, err := readPrivate(path, maxBrowsersFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var list []keptBrowser
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	now := l.now()
	for _, k := range list[:min(len(list), maxCookies)] {
		if k.Proof == (hash{}) {
			return fmt.Errorf("%s: browser %s has no proof; delete the file", path, k.ID)
		}
		if end := now.Add(CookieLife); now.Before(k.Expires) && !k.Expires.After(end) {
			l.browsers.Add(k.Hash, k.browser, share.Owner{Name: k.Maker})
		}
	}
	return nil
}

// save writes the browsers to the file, for the next server.
func (l *links) save() error {
	if l.path == "" {
		return nil
	}
	l.saving.Lock()
	defer l.saving.Unlock()
	list := []keptBrowser{}
	for cookie, b := range l.browsers.All() {
		list = append(list, keptBrowser{cookie, b})
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return renameio.WriteFile(l.path, data, 0o600, renameio.IgnoreUmask())
}
