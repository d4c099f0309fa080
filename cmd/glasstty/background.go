package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// backgroundFlag is what serve is not given when it is started in the background.
const backgroundFlag = "--background"

// background starts the server with the same flags in a session of its own, and
// returns when it serves.
func (c *serveCmd) background(ctx context.Context, std stdio) error {
	ctx, cancel := context.WithTimeout(ctx, daemonLimit)
	defer cancel()
	stop := "glasstty stop"
	if c.Socket != defaultSocket() {
		stop += " --socket '" + strings.ReplaceAll(c.Socket, "'", `'\''`) + "'"
	}
	d := daemon{socket: c.Socket}
	unlock, err := d.lock(ctx) // which makes the directory, too
	if err != nil {
		return err
	}
	defer unlock()
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool { return arg == backgroundFlag })
	said, err := d.spawn(ctx, "", args)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%sit goes on in the background; end it with: %s\n", said, stop)
	return err
}
