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

// clientSettings are the settings that a client of a daemon uses itself. Only the daemon uses the other
// settings. A client that sets one of these by a flag is refused. A client is also refused if its
// environment or settings file gives one of them another value than the daemon has, because its user
// would rely on protection that is missing. If the setting is one of harmlessSettings, which protect
// nothing, the client only gets a warning.
var (
	clientSettings   = []string{"help", "daemon", "socket", "data-dir", "log-level"}
	harmlessSettings = []string{"tools", "structured", "max-block", "default-timeout", "watch"}
)

// daemonSettings returns the settings that this client has set and that only the daemon uses.
func (c *mcpCmd) daemonSettings() (set []setting) {
	for _, s := range c.settings {
		if !s.isDefault() && !slices.Contains(clientSettings, s.name) {
			set = append(set, s)
		}
	}
	return set
}

// Two extra keys of a server's settings: the names of the flags that the server was started with, and
// these flags with their values. Both leave out startFlags and clientSettings.
const (
	givenFlags  = "flags"
	givenValues = "flags with values"
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
	values[givenFlags], values[givenValues] = strings.Join(flags, ", "), strings.Join(assignments, ", ")
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(values) // the client may have disconnected
}

// settingsOf asks the server on a socket for its settings. It waits up to daemonLimit for a server
// that is starting.
func settingsOf(ctx context.Context, socket string) (map[string]string, error) {
	return fetchJSON[map[string]string](ctx, socket, settingsPath, "", daemonLimit)
}

// checkFlags returns an error if the client has a flag that only a daemon can apply.
func (c *mcpCmd) checkFlags() error {
	for _, s := range c.daemonSettings() {
		if flag, ok := strings.CutPrefix(s.from, cmdline.FromFlag); ok {
			return usageError(fmt.Errorf("--%s has no effect on a client: start the daemon with it (glasstty serve --%s), or set it in the settings file, which every daemon reads", flag, flag))
		}
	}
	return nil
}

// checkDaemon compares the client's environment variables and settings file with the settings of the
// running daemon. If no daemon runs, it returns nil: the daemon that the client starts inherits them.
func (c *mcpCmd) checkDaemon(ctx context.Context, d *daemon, log *slog.Logger) error {
	set := c.daemonSettings()
	if len(set) == 0 {
		return nil
	}
	theirs, err := settingsOf(ctx, d.socket)
	if errors.Is(err, localsock.ErrNoServer) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range set {
		switch value := theirs[s.name]; {
		case value == s.value:
		case slices.Contains(harmlessSettings, s.name):
			log.Warn("the daemon that runs was started with another setting", "setting", s.name, "daemon", value, "here", s.value, "from", s.from)
		default:
			return fmt.Errorf("the daemon that runs on %s was started with %s = %s, and %s says %s: end it (glasstty stop), so that the next client starts one with this setting, or remove the setting",
				d.socket, s.name, value, s.from, s.value)
		}
	}
	return nil
}
