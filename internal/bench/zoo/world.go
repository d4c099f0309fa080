package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A world is what one run of a program has for itself: a home directory, a working
// directory, and an environment.
type world struct {
	home string
	dir  string
	env  []string
}

// newWorld creates a world in a temporary directory, for the zoo at root with its
// built programs in bin, and runs the program's preparations in it.
func newWorld(ctx context.Context, root, bin string, p program) (world, error) {
	home, err := os.MkdirTemp("", "zoo-")
	if err != nil {
		return world{}, err
	}
	w := world{home: home, dir: filepath.Join(home, "work")}
	w.env = append([]string{
		"HOME=" + home, "PWD=" + w.dir, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/usr/games", "LANG=C.UTF-8",
		"TERM=xterm-256color", "SHELL=/bin/bash", "USER=zoo", "ZOO=" + root, "ZOO_HOME=" + home, "NO_UPDATE_NOTIFIER=1",
	}, p.env...)
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		return w, err
	}
	for name, text := range map[string]string{"tmux.conf": "", ".zshrc": ""} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o644); err != nil {
			return w, err
		}
	}
	for _, line := range p.before {
		if err := w.shell(ctx, line); err != nil {
			return w, err
		}
	}
	return w, nil
}

// shell runs a shell line in the world.
func (w world) shell(ctx context.Context, line string) error {
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Env, cmd.Dir = w.env, w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.300s", line, err, out)
	}
	return nil
}

// end runs the program's last lines and removes the world.
func (w world) end(p program) error {
	for _, line := range p.after {
		if err := w.shell(context.Background(), line); err != nil {
			fmt.Fprintln(os.Stderr, "zoo:", p.name+":", err)
		}
	}
	return os.RemoveAll(w.home)
}

// argv returns the command to start at a place: the program or a shell.
func (w world) argv(p program, place string) []string {
	switch place {
	case inBash:
		return []string{"bash", "--norc", "--noprofile", "-i"}
	case inZsh:
		return []string{"zsh", "-f", "-i"}
	}
	if strings.ContainsAny(p.command, `|'";<>&`) {
		return []string{"sh", "-c", w.command(p)}
	}
	return strings.Fields(w.command(p))
}

// variable finds the zoo's own variables in a command line.
var variable = regexp.MustCompile(`\$(ZOO_HOME|ZOO)\b`)

// command returns the program's command line with the zoo's directories filled in.
func (w world) command(p program) string {
	return variable.ReplaceAllStringFunc(p.command, func(name string) string {
		for _, v := range w.env {
			if value, ok := strings.CutPrefix(v, name[1:]+"="); ok {
				return value
			}
		}
		return name
	})
}

// missing returns the first of the program's needs that is not installed.
func missing(root, bin string, p program) string {
	for _, need := range p.needs {
		need = strings.Replace(need, "$ZOO", root, 1)
		if _, err := os.Stat(filepath.Join(bin, need)); err == nil {
			continue
		}
		if _, err := os.Stat(need); err == nil {
			continue
		}
		if _, err := exec.LookPath(need); err != nil {
			return need
		}
	}
	return ""
}
