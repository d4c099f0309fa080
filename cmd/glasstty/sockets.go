package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/localsock"
)

// maxSockets bounds the sockets that are looked at, and maxAnswer the bytes of
// an answer that is read whole.
const (
	maxSockets = 256
	maxAnswer  = 1 << 20
)

// sockets returns the sockets where servers of this user listen: the one given,
// or else the default one and those of the servers of one client each.
func sockets(given string) ([]string, error) {
	if given != "" {
		return []string{given}, nil
	}
	dir, name := filepath.Split(defaultSocket())
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if e.Name() == name || strings.HasPrefix(e.Name(), mcpSocket) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(paths)
	return paths[:min(len(paths), maxSockets)], nil
}

// eachServer asks the servers of this user, or the one on the socket given. It returns
// what is wrong with servers that do not answer; it is an error when none does.
func eachServer(given string, ask func(socket string) error) (trouble, err error) {
	paths, err := sockets(given)
	if err != nil {
		return nil, err
	}
	var errs []error
	some := false
	for _, path := range paths {
		switch err := ask(path); {
		case err == nil:
			some = true
		case !errors.Is(err, localsock.ErrNoServer):
			errs = append(errs, err)
		}
	}
	switch {
	case some:
		return errors.Join(errs...), nil
	case len(errs) > 0:
		return nil, errors.Join(errs...)
	}
	return nil, noServer(given)
}

// noServer returns the error for when no server answers: on the socket given, or "" for
// all that sockets looks at.
func noServer(given string) error {
	if given != "" {
		return statusError{fmt.Errorf("no server of yours listens on %s; start one there: glasstty serve --background --socket %s",
			given, word(given)), exitNoServer}
	}
	return statusError{fmt.Errorf("no server of yours listens in %s; start one with glasstty serve --background, or name "+
		"the socket of one elsewhere with --socket", filepath.Dir(defaultSocket())), exitNoServer}
}

// overSocket returns a client that reaches the server at a socket, whatever the
// host of an address.
func overSocket(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return localsock.Dial(ctx, path)
		},
	}}
}

// socketURL returns the address of a path for a client of overSocket.
func socketURL(path string, query url.Values) string {
	u := url.URL{Scheme: "http", Host: "localhost", Path: path, RawQuery: query.Encode()}
	return u.String()
}

// ask sends a request without a body over a socket and returns the answer's text.
func ask(ctx context.Context, method, socket, path string, query url.Values) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, socketURL(path, query), nil)
	if err != nil {
		return "", err
	}
	res, err := overSocket(socket).Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(body))
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", socket, cmp.Or(text, res.Status))
	}
	return text, nil
}
