package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"

	"github.com/glasstty/glasstty/cmd/glasstty/attach"
	"github.com/glasstty/glasstty/internal/runes"
)

// lsCmd lists the sessions of the servers of this user.
type lsCmd struct {
	Socket string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: those of all servers of this user)."`
}

func (c *lsCmd) run(ctx context.Context, std stdio) error {
	var nodeErr error // joins the errors of nodes that did not answer
	lists, trouble, err := askServers(c.Socket, func(socket string) ([]serverSession, error) {
		own, err := sessionsAt(ctx, socket, "")
		if err != nil {
			return nil, err
		}
		others, err := fleetSessions(ctx, socket)
		nodeErr = errors.Join(nodeErr, err)
		return append(own, others...), nil
	})
	if err != nil {
		return err
	}
	all := slices.Concat(lists...)
	if trouble = errors.Join(trouble, nodeErr); trouble != nil {
		fmt.Fprintln(std.err, "glasstty:", escapeInvisible(trouble.Error()))
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Urgency() < all[j].Urgency() })
	if len(all) == 0 && trouble == nil && c.Socket == "" {
		fmt.Fprintf(std.err, "glasstty: the servers in %s have no sessions; --socket names a server elsewhere\n", filepath.Dir(defaultSocket()))
	}
	var lines []string
	for _, s := range all {
		columns := []string{s.ID, plain(s.Name), plain(attach.StateText(&s.Facts)), plain(s.Program), plain(s.Title), s.Socket}
		lines = append(lines, strings.Join(columns, "\t"))
	}
	return printTable(std.out, "ID\tNAME\tSTATE\tPROGRAM\tTITLE\tSERVER", lines)
}

// printTable prints a heading and lines in aligned columns. Tabs separate the columns in heading and lines.
func printTable(out io.Writer, heading string, lines []string) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, line := range append([]string{heading}, lines...) {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

// maxPlain is the maximum length of a text from a program in a list, in characters.
const maxPlain = 40

// plain returns a text from a program, cut to maxPlain characters, with U+FFFD for characters that
// cannot be printed.
func plain(s string) string {
	clean := []rune(runes.ReplaceUnprintable(s))
	if len(clean) > maxPlain {
		clean = append(clean[:maxPlain-1], '…')
	}
	return string(clean)
}
