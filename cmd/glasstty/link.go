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
	WatchOnly bool      `help:"The link lets a person watch, not type."`
	Name      tokenName `placeholder:"NAME" help:"Who it is for, as others see it."`
}

// Help returns the command's longer description.
func (*linkCmd) Help() string {
	return "The link opens the live page of a server. One that serves no page yet, such as the daemon of " +
		"mcp --daemon, begins to, at a free port of this machine. The link is good once, for " +
		"two minutes, and lets that browser in for twelve hours."
}

func (c *linkCmd) run(ctx context.Context, std stdio) error {
	query := url.Values{"scope": {string(httpserve.ScopeType)}, "name": {string(c.Name)}}
	if c.WatchOnly {
		query.Set("scope", string(httpserve.ScopeWatch))
	}
	_, err := eachServer(c.Socket, func(socket string) error {
		link, err := ask(ctx, http.MethodPost, socket, "/link", query)
		if err == nil {
			fmt.Fprintln(std.out, link)
		}
		return err
	})
	return err
}
