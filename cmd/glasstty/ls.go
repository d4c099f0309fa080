package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// lsCmd lists the sessions of the servers of this user.
type lsCmd struct {
	Socket string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: those of all servers of this user)."`
	JSON   bool   `name:"json" help:"Print JSON, one object a line."`
}

// Help returns the command's longer description.
func (*lsCmd) Help() string {
	return "It lists the sessions of glasstty serve and of every glasstty mcp whose socket is in the user's runtime directory " +
		"($XDG_RUNTIME_DIR/glasstty); --socket names one elsewhere. Those that wait for a person come first, " +
		"and those that have ended last. Attach to one: glasstty attach ID."
}

func (c *lsCmd) run(ctx context.Context, std stdio) error {
	all, trouble, err := c.all(ctx)
	if err != nil {
		return err
	}
	if trouble != nil {
		fmt.Fprintln(std.err, "glasstty:", trouble)
	}
	slices.SortStableFunc(all, func(a, b sessionAt) int { return a.Urgency() - b.Urgency() })
	if c.JSON {
		e := json.NewEncoder(std.out)
		for _, s := range all {
			if err := e.Encode(struct {
				live.Facts
				Socket string `json:"socket"`
			}{s.Facts, s.socket}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 && c.Socket == "" {
		fmt.Fprintf(std.err, "glasstty: the servers in %s have no sessions; --socket names a server elsewhere\n", filepath.Dir(defaultSocket()))
	}
	w := tabwriter.NewWriter(std.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tSTATUS\tKEYBOARD\tPROGRAM\tTITLE\tSERVER")
	for _, s := range all {
		fmt.Fprintln(w, strings.Join([]string{
			s.ID, plain(s.Name), statusWord(s.Facts), keyboardWord(s.Facts), plain(s.Program), plain(s.Title), s.socket,
		}, "\t"))
	}
	return w.Flush()
}

// all returns the sessions of the servers and of their fleets, and what is wrong with those
// that do not tell theirs. It is an error when there is no server.
func (c *lsCmd) all(ctx context.Context) (all []sessionAt, trouble, err error) {
	var silent []error
	trouble, err = eachServer(c.Socket, func(socket string) error {
		own, err := sessionsAt(ctx, socket, "")
		if err != nil {
			return err
		}
		others, err := fleetSessions(ctx, socket)
		all, silent = slices.Concat(all, own, others), append(silent, err)
		return nil
	})
	return all, errors.Join(trouble, errors.Join(silent...)), err
}

// statusWord describes the state of a session.
func statusWord(f live.Facts) string {
	if f.ExitCode != nil {
		return fmt.Sprintf("%s %d", f.Status, *f.ExitCode)
	}
	switch {
	case f.Secret:
		return "asks for a password"
	case len(f.Held) > 0:
		return "holds a command"
	}
	return f.Status
}

// keyboardWord names the holder of the keyboard.
func keyboardWord(f live.Facts) string {
	if f.Status != "running" {
		return "-"
	}
	switch f.Keyboard.State {
	case "paused":
		return "paused by " + plain(f.Keyboard.By)
	case "held":
		return plain(f.Keyboard.By)
	}
	return "agent"
}

// maxPlain is how much of a program's text a list shows, in characters.
const maxPlain = 40

// plain returns a program's text without control characters, cut to maxPlain.
func plain(s string) string {
	clean := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, strings.ToValidUTF8(s, "\uFFFD")))
	if len(clean) > maxPlain {
		clean = append(clean[:maxPlain-1], '…')
	}
	return string(clean)
}
