package httpserve

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/google/renameio/v2"
)

// A keptBrowser is an entry of the file of Options.Browsers: a browser that a link has let
// in. It has only the hash of the cookie.
type keptBrowser struct {
	Hash   string    `json:"hash"`  // SHA-256, in hexadecimal digits
	Proof  string    `json:"proof"` // SHA-256 of the page's proof
	Maker  string    `json:"maker,omitempty"`
	ID     string    `json:"id"`
	Name   string    `json:"name,omitempty"`
	Scopes string    `json:"scopes"`
	Until  time.Time `json:"until"`
}

// maxBrowsersFile bounds that file, in bytes.
const maxBrowsersFile = 1 << 20

// load reads the browsers that an earlier server let in. A file that does not
// exist is an empty one.
func (l *links) load(path string) error {
	l.path = path
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 || info.Size() > maxBrowsersFile {
		return fmt.Errorf("%s: mode %v and %d bytes; allowed are mode 0600 and %d bytes", path, info.Mode().Perm(), info.Size(), maxBrowsersFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var list []keptBrowser
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return l.take(list)
}

// take lets in the browsers of a list that have not expired.
func (l *links) take(list []keptBrowser) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, k := range list[:min(len(list), maxCookies)] {
		cookie, err := parseHash(k.Hash)
		if err != nil {
			return fmt.Errorf("%s: %w", l.path, err)
		}
		proof, err := parseHash(k.Proof)
		if err != nil {
			return fmt.Errorf("%s: %w", l.path, err)
		}
		scopes, err := ParseScopes(k.Scopes)
		if err != nil {
			return fmt.Errorf("%s: %w", l.path, err)
		}
		if end := now.Add(CookieLife); now.Before(k.Until) && !k.Until.After(end) {
			l.keepLocked(cookie, browser{Principal{ID: k.ID, Name: k.Name, Scopes: scopes, Expires: k.Until}, proof, k.Maker})
		}
	}
	return nil
}

// parseHash reads a hash.
func parseHash(text string) (hash, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(hash{}) {
		return hash{}, fmt.Errorf("%q is not a hash", text)
	}
	return hash(b), nil
}

// save writes the browsers that are let in for the next server.
func (l *links) save() error {
	if l.path == "" {
		return nil
	}
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	list := []keptBrowser{}
	for cookie, b := range l.browsers {
		list = append(list, keptBrowser{
			Hash: hex.EncodeToString(cookie[:]), Proof: hex.EncodeToString(b.proof[:]), Maker: b.maker,
			ID: b.who.ID, Name: b.who.Name, Scopes: b.who.Scopes.String(), Until: b.who.Expires,
		})
	}
	l.mu.Unlock()
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return renameio.WriteFile(l.path, data, 0o600, renameio.IgnoreUmask())
}
