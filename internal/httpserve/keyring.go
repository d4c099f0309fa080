package httpserve

import (
	"context"
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
	"time"

	"github.com/glasstty/glasstty/internal/owned"
)

// maxTokenFile is the maximum size of a token file in bytes.
const maxTokenFile = 256 << 10

// A Keyring contains the accepted tokens. It rereads the token file, so that tokens can be added
// and withdrawn while the server runs. A Keyring is safe for concurrent use.
type Keyring struct {
	fixed []*Token // tokens that are always accepted until they expire
	path  string   // of the token file, or ""
	log   *slog.Logger
	now   func() time.Time // time.Now, except in tests

	mu      sync.Mutex // guards the fields below
	file    []*Token   // tokens in the file
	checked time.Time  // when the file was last read
}

// checkEvery is the interval at which a token file is read again, and at which a running request's
// token is checked.
const checkEvery = 400 * time.Millisecond

// NewKeyring returns a Keyring of fixed tokens and, if path is not empty, of the tokens in
// the file at path. It returns an error if other users can use the file, if a line is invalid, or
// if the file contains no tokens.
func NewKeyring(path string, log *slog.Logger, fixed ...*Token) (*Keyring, error) {
	k := &Keyring{fixed: fixed, path: path, log: log, now: time.Now}
	if path == "" {
		return k, nil
	}
	tokens, err := readTokens(path)
	if err != nil {
		return nil, err
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("token file %s contains no tokens; make one: glasstty token --file %s", path, path)
	}
	k.file, k.checked = tokens, k.now()
	return k, nil
}

// Empty reports whether there are no tokens and no token file.
func (k *Keyring) Empty() bool { return k == nil || len(k.fixed) == 0 && k.path == "" }

// find returns the token with this secret. The error is errUnknown or errExpired. find compares the
// hashes of all tokens in constant time.
func (k *Keyring) find(secret string) (*Token, error) {
	hash := hashOf(secret)
	var found *Token
	for _, t := range k.tokens() {
		if subtle.ConstantTimeCompare([]byte(hash), []byte(t.hash)) == 1 {
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

// whileValid returns a context that also ends, with the cause errExpired or errWithdrawn, when p's
// token becomes invalid. The caller must call done.
func (k *Keyring) whileValid(ctx context.Context, p Principal) (_ context.Context, done func()) {
	ctx, end := context.WithCancelCause(ctx)
	done = func() { end(nil) }
	if !p.Expires.IsZero() {
		expiry := time.AfterFunc(time.Until(p.Expires), func() { end(errExpired) })
		done = func() { expiry.Stop(); end(nil) }
	}
	if p.token != nil && k.path != "" {
		go k.endWithdrawn(ctx, p.token, end)
	}
	return ctx, done
}

// endWithdrawn calls end when a token has been removed from the file or changed, unless ctx ends first.
func (k *Keyring) endWithdrawn(ctx context.Context, t *Token, end context.CancelCauseFunc) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !slices.ContainsFunc(k.tokens(), t.same) {
			end(errWithdrawn)
		}
	}
}

// tokens returns all tokens. It first rereads the file if the last reading is older than checkEvery.
func (k *Keyring) tokens() []*Token {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := k.now(); k.path != "" && now.Sub(k.checked) >= checkEvery {
		k.checked = now
		k.reloadLocked()
	}
	return append(k.fixed[:len(k.fixed):len(k.fixed)], k.file...)
}

// reloadLocked rereads the file. If the file is unreadable or invalid, it may be half written, so its
// tokens stay valid. If the file is missing or empty, its tokens become invalid.
func (k *Keyring) reloadLocked() {
	tokens, err := readTokens(k.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(k.file) > 0 {
			k.log.Warn("the token file is missing; its tokens are no longer valid", "path", k.path)
		}
		k.file = nil
	case err != nil:
		k.log.Warn("cannot read the token file; the tokens that were read before stay valid", "err", err)
	default:
		k.file = tokens
	}
}

// readTokens reads the tokens in a file. It skips empty lines and comments (#).
func readTokens(path string) (tokens []*Token, err error) {
	data, err := readPrivate(path, maxTokenFile)
	if err != nil {
		return nil, fmt.Errorf("token file: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		t, err := parseToken(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// readPrivate reads a file of at most limit bytes that openPrivate accepts.
func readPrivate(path string, limit int64) ([]byte, error) {
	f, _, err := openPrivate(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return data, err
}

// openPrivate opens a file as owned.OpenFile does, and rejects a file whose mode gives other users any right.
func openPrivate(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, info, err := owned.OpenFile(path, flag)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("%s can be used by other users (%v); chmod 600 it", path, info.Mode().Perm())
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, err
}
