package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/clientconfig"
)

// setupCmd prints, writes or removes the settings that connect an MCP client, or the instructions for
// an agent that has only a shell.
type setupCmd struct {
	Write   bool   `help:"Add the settings to the client's file, keeping everything else and a backup."`
	Remove  bool   `help:"Remove the settings from the client's file, keeping everything else and a backup."`
	Project bool   `help:"Set up the project in this directory instead of the user."`
	File    string `placeholder:"PATH" help:"The client's file, if it is not in the usual place."`
	Daemon  bool   `help:"Let the client join your daemon, so that sessions outlive it (glasstty mcp --daemon)."`
	Client  string `arg:"" optional:"" words:"${clients}" help:"${words}."`

	client clientconfig.Client // found by run
}

func (c *setupCmd) run(_ context.Context, std stdio) error {
	switch {
	case c.Write && c.Remove:
		return usageError(errors.New("--write and --remove can't be used together"))
	case c.Client == "":
		return usageError(fmt.Errorf("name a client: %s", strings.Join(clientconfig.IDs(), ", ")))
	}
	var err error
	if c.client, err = clientconfig.Find(c.Client); err != nil {
		return usageError(err)
	}
	if c.Client == "agents-md" {
		c.Project = true // AGENTS.md exists only in projects
	}
	path, err := c.path()
	if err != nil {
		return usageError(err)
	}
	server, err := c.server()
	if err != nil {
		return err
	}
	if !c.Write && !c.Remove {
		return c.printSnippet(std, path, server)
	}
	if c.Write && strings.Contains(filepath.ToSlash(server.Command), "/go-build") {
		return usageError(errors.New("go run removes the program when it ends; build it in a permanent place: go build -o glasstty ./cmd/glasstty"))
	}
	res, err := c.client.Write(path, server, c.Remove, time.Now())
	if err != nil {
		return fmt.Errorf("%w; nothing was changed", err)
	}
	if !res.Changed {
		state := "has glasstty already"
		if c.Remove {
			state = "does not have glasstty"
		}
		fmt.Fprintf(std.out, "%s %s: %s\n", c.client.Title, state, res.Path)
		return nil
	}
	did, rest := "wrote", ""
	if res.Backup != "" {
		did, rest = "changed", ", the old one is "+res.Backup
	}
	if c.Remove {
		did = "removed glasstty from"
	}
	if !c.client.HasInstructions() {
		rest += "; restart the client" // it reads its settings only when it starts
	}
	fmt.Fprintf(std.out, "%s: %s %s%s\n", c.client.Title, did, res.Path, rest)
	return nil
}

// server returns the command with which the client starts this program. If npx started this program from
// npm's cache, the command is npx, because npm clears the cache. If this program is found in PATH, the
// command is the path found there, which survives upgrades, or in instructions only the name.
func (c *setupCmd) server() (clientconfig.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return clientconfig.Server{}, err
	}
	server := clientconfig.Server{Command: self, Args: []string{"mcp"}}
	switch found, err := exec.LookPath("glasstty"); {
	case strings.Contains(filepath.ToSlash(self), "/_npx/"):
		server.Command, server.Args = "npx", []string{"-y", "glasstty", "mcp"}
	case err != nil || !sameFile(found, self):
	case c.client.HasInstructions():
		server.Command = "glasstty" // the agent's shell has the same PATH
	default:
		server.Command = found
	}
	if c.Daemon {
		server.Args = append(server.Args, "--daemon")
	}
	return server, nil
}

// sameFile reports whether two paths name the same file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// path returns the path of the client's file.
func (c *setupCmd) path() (string, error) {
	if c.File != "" {
		return c.File, nil
	}
	if c.Project {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		return c.client.ProjectFile(here)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%w; name the client's file with --file", err)
	}
	return c.client.UserFile(clientconfig.Env{OS: runtime.GOOS, Home: home, Getenv: os.Getenv})
}

// printSnippet prints the text to add to the file at path.
func (c *setupCmd) printSnippet(std stdio, path string, s clientconfig.Server) error {
	text, err := c.client.Snippet(s)
	if err != nil {
		return usageError(err)
	}
	fmt.Fprintf(std.err, "for %s, or run it again with --write:\n", path)
	_, err = fmt.Fprint(std.out, text)
	return err
}
