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
	links, _, err := askServers(c.Socket, func(socket string) (string, error) {
		return ask(ctx, http.MethodPost, socket, "/link", query)
	})
	for _, link := range links {
		fmt.Fprintln(std.out, link)
	}
	return err
}
