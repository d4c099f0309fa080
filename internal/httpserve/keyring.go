package httpserve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Limits of a token file.
const (
	maxTokenFile = 256 << 10 // bytes
	maxTokens    = 1000
)

// A Keyring holds the valid tokens. It reads a token file again when the file has changed,
// so that tokens can be added and withdrawn while the server runs. It is safe for
// concurrent use.
type Keyring struct {
	fixed []*Token
	path  string
	log   *slog.Logger
	now   func() time.Time

	mu     sync.Mutex // guards what follows
	file   []*Token
	state  fs.FileInfo // of the file when it was read; nil when it was gone
	looked time.Time
	uses   map[*use]bool
	timer  *time.Timer // checks the file while there are uses; otherwise nil
}

// A use is a request with a token of the file.
type use struct {
	token *Token
	end   context.CancelCauseFunc
}

// lookEvery is the interval at which a token file is checked for changes.
const lookEvery = 400 * time.Millisecond

// NewKeyring returns a Keyring of fixed tokens and, if path is not empty, of the tokens in
// the file at path. The error names the invalid line, or a file that other users can read.
func NewKeyring(path string, log *slog.Logger, fixed ...*Token) (*Keyring, error) {
	k := &Keyring{fixed: fixed, path: path, log: log, now: time.Now}
	if path == "" {
		return k, nil
	}
	tokens, state, err := readTokens(path)
	if err != nil {
		return nil, err
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("token file %s holds no token; make one: glasstty token --file %s", path, path)
	}
	k.file, k.state, k.looked = tokens, state, k.now()
	return k, nil
}

// Empty reports whether there are no tokens and no token file.
func (k *Keyring) Empty() bool { return k == nil || len(k.fixed) == 0 && k.path == "" }

// find returns the token with this secret. It compares every token in constant time.
func (k *Keyring) find(secret string) (*Token, error) {
	hash := sha256.Sum256([]byte(secret))
	var found *Token
	for _, t := range k.tokens() {
		if subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1 {
			found = t
		}
	}
	if found == nil {
		return nil, errUnknown
	}
	if !found.Expires.IsZero() && !k.now().Before(found.Expires) {
		return nil, errExpired
	}
	return found, nil
}

// whileTaken returns a context that ends, with errExpired or errWithdrawn, when p's token
// becomes invalid. The caller must call done.
func (k *Keyring) whileTaken(ctx context.Context, p Principal) (_ context.Context, done func()) {
	ctx, end := context.WithCancelCause(ctx)
	stop := func() {}
	if !p.Expires.IsZero() {
		expiry := time.AfterFunc(time.Until(p.Expires), func() { end(errExpired) })
		stop = func() { expiry.Stop() }
	}
	if p.token == nil || k.path == "" || slices.Contains(k.fixed, p.token) {
		return ctx, func() { stop(); end(nil) }
	}
	u := &use{p.token, end}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.uses == nil {
		k.uses = map[*use]bool{}
	}
	k.uses[u] = true
	if k.timer == nil {
		k.timer = time.AfterFunc(lookEvery, k.look)
	}
	return ctx, func() {
		stop()
		end(nil)
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.uses, u)
	}
}

// look ends the uses of tokens that were removed from the file.
func (k *Keyring) look() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.looked = k.now()
	k.reloadLocked()
	for u := range k.uses {
		if !slices.ContainsFunc(k.file, u.token.same) {
			u.end(errWithdrawn)
			delete(k.uses, u)
		}
	}
	if k.timer = nil; len(k.uses) > 0 {
		k.timer = time.AfterFunc(lookEvery, k.look)
	}
}

// tokens returns all tokens, after a check of the file.
func (k *Keyring) tokens() []*Token {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := k.now(); k.path != "" && now.Sub(k.looked) >= lookEvery {
		k.looked = now
		k.reloadLocked()
	}
	return append(k.fixed[:len(k.fixed):len(k.fixed)], k.file...)
}

// reloadLocked reads the file again when it has changed. An unreadable file leaves the
// tokens unchanged, because it may be half written. A missing or empty file withdraws them.
func (k *Keyring) reloadLocked() {
	info, err := os.Stat(k.path)
	if err == nil && k.state != nil && os.SameFile(info, k.state) && info.Size() == k.state.Size() && info.ModTime().Equal(k.state.ModTime()) {
		return
	}
	tokens, state, err := readTokens(k.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(k.file) > 0 {
			k.log.Warn("the token file is gone, and its tokens with it", "path", k.path)
		}
		k.file, k.state = nil, nil
	case err != nil:
		k.log.Warn("the token file is left as it was read before", "err", err)
	default:
		k.file, k.state = tokens, state
	}
}

// readTokens reads a token file.
func readTokens(path string) ([]*Token, fs.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("token file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if err := safeFile(path, info); err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxTokenFile+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("token file: %w", err)
	case len(data) > maxTokenFile:
		return nil, nil, fmt.Errorf("token file %s has more than %d bytes", path, maxTokenFile)
	}
	tokens, err := parseTokens(path, string(data))
	return tokens, info, err
}

// safeFile refuses a token file that other users can read or change.
func safeFile(path string, info fs.FileInfo) error {
	owner := info.Sys().(*syscall.Stat_t).Uid
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("token file %s is not a regular file", path)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("token file %s can be used by other users (%v); chmod 600 it", path, info.Mode().Perm())
	case owner != 0 && int64(owner) != int64(os.Geteuid()):
		return fmt.Errorf("token file %s belongs to another user (uid %d)", path, owner)
	}
	return nil
}

// parseTokens reads the lines of a token file, except empty lines and comments (#).
func parseTokens(path, text string) ([]*Token, error) {
	var out []*Token
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		t, err := parseToken(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if out = append(out, t); len(out) > maxTokens {
			return nil, fmt.Errorf("%s has more than %d tokens", path, maxTokens)
		}
	}
	return out, nil
}
