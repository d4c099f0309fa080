package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/glasstty/glasstty/internal/httpserve"
)

// linkCmd asks the servers of this user for links to their live pages.
type linkCmd struct {
	Socket    string    `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: those of all servers of this user)."`
	WatchOnly bool      `help:"Make a link with which a person can watch but not type."`
	Name      tokenName `placeholder:"NAME" help:"Name of the person it is for, as others will see it."`
}

func (c *linkCmd) run(ctx context.Context, std stdio) error {
	query := url.Values{"scope": {string(httpserve.ScopeType)}, "name": {string(c.Name)}}
	if c.WatchOnly {
		query.Set("scope", string(httpserve.ScopeWatch))
	}
	type link struct{ url, socket string }
	links, _, err := askServers(c.Socket, func(socket string) (link, error) {
		url, err := ask(ctx, http.MethodPost, socket, "/link", query)
		return link{url, socket}, err
	})
	for _, l := range links {
		if len(links) == 1 {
			fmt.Fprintln(std.out, l.url)
		} else {
			fmt.Fprintf(std.out, "%s (%s)\n", l.url, l.socket)
		}
	}
	return err
}
