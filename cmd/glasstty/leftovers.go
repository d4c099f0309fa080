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

// sweep removes files that killed servers have left behind: sockets of glasstty mcp, and
// temporary directories.
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
