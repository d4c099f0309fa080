package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/tempdir"
)

// sweep removes what servers that were killed have left: the sockets of those that
// served one client, and directories for the start files of shells and their histories.
func sweep(ctx context.Context, log *slog.Logger) {
	if n, err := tempdir.Sweep(time.Now()); n > 0 || err != nil {
		log.Debug("swept temporary directories", "removed", n, "err", err)
	}
	dir := filepath.Dir(defaultSocket())
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is none yet
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
