package main

import (
	"context"
	"fmt"
	"os"
	"slices"
)

// backgroundFlag is removed from the flags of the server in the background.
const backgroundFlag = "--background"

// background starts the server with the same flags in a session of its own, and
// returns when it serves.
func (c *serveCmd) background(ctx context.Context, std stdio) error {
	ctx, cancel := context.WithTimeout(ctx, daemonLimit)
	defer cancel()
	stop := "glasstty stop"
	if c.Socket != defaultSocket() {
		stop += " --socket " + word(c.Socket)
	}
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool { return arg == backgroundFlag })
	said, logged, err := daemon{socket: c.Socket}.spawn(ctx, "", args)
	if err != nil {
		return err
	}
	fmt.Fprint(std.err, visible(logged)) // for example that the port is taken
	_, err = fmt.Fprintf(std.out, "%sit goes on in the background; end it with: %s\n", said, stop)
	return err
}
