package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/clientconfig"
)

// setupCmd connects an MCP client: it prints what belongs into the client's
// settings, or puts it there.
type setupCmd struct {
	Write   bool   `help:"Put it into the client's file, keeping everything else and a backup."`
	Project bool   `help:"Set up the project in this directory instead of the user."`
	File    string `placeholder:"PATH" help:"The client's file, when it is not where it usually is."`
	Name    string `default:"glasstty" placeholder:"NAME" help:"The server's name in the client (default ${default})."`
	Daemon  bool   `help:"Let the client join your daemon, so that sessions outlive it (glasstty mcp --daemon)."`
	Client  client `arg:"" optional:"" help:"claude-code, cursor, vscode, windsurf, codex, gemini-cli or zed."`
}

// Help returns the command's longer description.
func (*setupCmd) Help() string {
	return "Without --write it prints the snippet, and on standard error where it belongs. With --write it changes the " +
		"file in one step; an entry that is there keeps its arguments and other fields. A file that cannot be read " +
		"or is not valid is left as it is."
}

// client is one of the clients that clientconfig knows.
type client struct{ clientconfig.Client }

// UnmarshalText reads a client's name.
func (c *client) UnmarshalText(text []byte) (err error) {
	c.Client, err = clientconfig.Find(string(text))
	return err
}

// words returns the clients' names.
func (client) words() []string {
	var out []string
	for _, c := range clientconfig.Clients() {
		out = append(out, c.ID)
	}
	return out
}

func (c *setupCmd) run(_ context.Context, std stdio) error {
	if c.Client.ID == "" {
		return usageError{fmt.Errorf("which client? One of %s", strings.Join(c.Client.words(), ", "))}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	path, err := c.path()
	if err != nil {
		return usageError{err}
	}
	server := clientconfig.Server{Name: c.Name, Command: self, Args: []string{"mcp"}}
	if c.Daemon {
		server.Args = append(server.Args, "--daemon")
	}
	if !c.Write {
		return c.show(std, path, server)
	}
	if strings.Contains(filepath.ToSlash(self), "/go-build") {
		return usageError{errors.New("go run removes the program when it ends; build it where it is to stay: go build -o glasstty ./cmd/glasstty")}
	}
	res, err := c.Client.Write(path, server, time.Now())
	if err != nil {
		return fmt.Errorf("%w; nothing was changed", err)
	}
	switch {
	case !res.Changed:
		fmt.Fprintf(std.out, "%s has %q already, whose arguments are left as they are: %s\n", c.Client.Title, c.Name, res.Path)
		if c.Daemon {
			fmt.Fprintln(std.out, `to join the daemon, put "--daemon" after "mcp" there`)
		}
	case res.Backup == "":
		fmt.Fprintf(std.out, "%s: made %s; restart the client\n", c.Client.Title, res.Path)
	default:
		fmt.Fprintf(std.out, "%s: changed %s, the old one is %s; restart the client\n", c.Client.Title, res.Path, res.Backup)
	}
	return nil
}

// path returns the client's file.
func (c *setupCmd) path() (string, error) {
	if c.File != "" {
		return c.File, nil
	}
	if c.Project {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		return c.Client.ProjectFile(here)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%w; name the client's file by --file", err)
	}
	return c.Client.UserFile(clientconfig.Env{OS: runtime.GOOS, Home: home, Getenv: os.Getenv})
}

// show prints the snippet.
func (c *setupCmd) show(std stdio, path string, s clientconfig.Server) error {
	text, err := c.Client.Snippet(s)
	if err != nil {
		return usageError{err}
	}
	fmt.Fprintf(std.err, "for %s, or run it again with --write:\n", path)
	_, err = fmt.Fprint(std.out, text)
	return err
}
