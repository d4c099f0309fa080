package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/shellquote"
	"github.com/glasstty/glasstty/internal/tempdir"
)

// maxAnswer is the maximum number of bytes that are read from a server's answer or log.
const maxAnswer = 1 << 20

// sockets returns the paths of the sockets of this user's servers, sorted. If given is not "", it returns
// only given, and otherwise the default socket and those of glasstty mcp, as far as they exist.
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
	return paths, nil
}

// askServers returns the answers of all servers of this user, or of the server on the given socket. trouble
// joins the errors of servers that listen but do not answer. If none answers, it is nil, and err is not.
func askServers[T any](given string, ask func(socket string) (T, error)) (answers []T, trouble, err error) {
	paths, err := sockets(given)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		switch answer, err := ask(path); {
		case err == nil:
			answers = append(answers, answer)
		case !errors.Is(err, localsock.ErrNoServer):
			trouble = errors.Join(trouble, err)
		}
	}
	switch {
	case answers != nil:
		return answers, trouble, nil
	case trouble != nil:
		return nil, nil, trouble
	}
	err = fmt.Errorf("no server of yours listens in %s; start one with glasstty serve --background, or name "+
		"the socket of one elsewhere with --socket", filepath.Dir(defaultSocket()))
	if given != "" {
		err = fmt.Errorf("no server of yours listens on %s; start one there: glasstty serve --background --socket %s", given, shellquote.Word(given))
	}
	return nil, nil, statusError{error: err, status: exitNoServer}
}

// overSocket returns a client that sends requests for any host to the server at a socket.
func overSocket(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return localsock.Dial(ctx, path)
		},
	}}
}

// ask sends a request without a body over a socket and returns the text of a response with status 200.
func ask(ctx context.Context, method, socket, path string, query url.Values) (string, error) {
	u := url.URL{Scheme: "http", Host: "localhost", Path: path, RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
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

// sweep removes the sockets of glasstty mcp and the temporary directories that servers left behind when
// they were killed.
func sweep(ctx context.Context, log *slog.Logger) {
	if n, err := tempdir.Sweep(time.Now()); n > 0 || err != nil {
		log.Debug("swept temporary directories", "removed", n, "err", err)
	}
	dir := filepath.Dir(defaultSocket())
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // no server has created the directory
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), mcpSocket) {
			continue
		}
		if err := localsock.RemoveDead(ctx, filepath.Join(dir, e.Name())); err == nil {
			log.Debug("removed a socket that nobody listens on", "name", e.Name())
		}
	}
}
