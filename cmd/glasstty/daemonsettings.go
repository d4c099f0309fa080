package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/cmdline"
	"github.com/glasstty/glasstty/internal/localsock"
)

// settingsPath is the path at which a server serves its settings on its socket.
const settingsPath = "/settings"

// clientSettings are the settings that a client of a daemon uses itself. The daemon uses all others.
// If one of them has another value for the client, the client is refused, because its user would rely
// on protection that is missing. For one of harmlessSettings, which protect nothing, the client only
// gets a warning.
var (
	clientSettings   = []string{"help", "daemon", "socket", "data-dir", "log-level"}
	harmlessSettings = []string{"tools", "structured", "max-block", "default-timeout", "watch"}
)

// daemonSettings returns the settings that this client has set and that only the daemon uses.
func (c *mcpCmd) daemonSettings() (own []setting) {
	for _, s := range c.settings {
		if !s.isDefault() && !slices.Contains(clientSettings, s.name) {
			own = append(own, s)
		}
	}
	return own
}

// Keys in a server's settings for its own flags, and for the flags with their values. Own flags are
// those that the server was started with, except startFlags and clientSettings.
const (
	ownFlags  = "flags"
	ownValues = "flags with values"
)

// startFlags are the flags that a client passes to a daemon, or that concern only the start.
var startFlags = []string{"http", "replace", "background"}

// serveSettings serves the values of the server's settings by name, as JSON.
func (c *serveCmd) serveSettings(w http.ResponseWriter, _ *http.Request) {
	values := map[string]string{}
	var flags, assignments []string
	for _, s := range c.settings {
		values[s.name] = s.value
		if flag, ok := strings.CutPrefix(s.from, cmdline.FromFlag); ok && !slices.Contains(startFlags, flag) && !slices.Contains(clientSettings, flag) {
			flags = append(flags, "--"+flag)
			assignments = append(assignments, flag+"="+s.value)
		}
	}
	values[ownFlags], values[ownValues] = strings.Join(flags, ", "), strings.Join(assignments, ", ")
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(values) // the client may have disconnected
}

// settingsOf asks the server on a socket for its settings. It waits up to daemonLimit for a server
// that is starting.
func settingsOf(ctx context.Context, socket string) (map[string]string, error) {
	return fetchJSON[map[string]string](ctx, socket, settingsPath, "", daemonLimit)
}

// checkFlags returns an error for a flag that only a daemon can apply.
func (c *mcpCmd) checkFlags() error {
	for _, s := range c.daemonSettings() {
		if flag, ok := strings.CutPrefix(s.from, cmdline.FromFlag); ok {
			return usageError(fmt.Errorf("--%s is the daemon's to enforce: start glasstty serve --%s, or set it in the settings file, which every daemon reads", flag, flag))
		}
	}
	return nil
}

// checkDaemon compares the client's variables and settings file with the settings of the
// running daemon. A daemon that the client starts inherits them.
func (c *mcpCmd) checkDaemon(ctx context.Context, d *daemon, log *slog.Logger) error {
	own := c.daemonSettings()
	if len(own) == 0 {
		return nil
	}
	theirs, err := settingsOf(ctx, d.socket)
	if errors.Is(err, localsock.ErrNoServer) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range own {
		switch has := theirs[s.name]; {
		case has == s.value:
		case slices.Contains(harmlessSettings, s.name):
			log.Warn("the daemon that runs was started with another setting", "setting", s.name, "daemon", has, "here", s.value, "from", s.from)
		default:
			return fmt.Errorf("the daemon that runs on %s was started with %s = %s, and %s says %s: end it (glasstty stop), so that the next client starts one with this setting, or remove the setting",
				d.socket, s.name, has, s.from, s.value)
		}
	}
	return nil
}
