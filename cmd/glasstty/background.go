package main

import (
	"context"
	"fmt"
	"os"
	"slices"
)

// backgroundFlag is the flag that the server in the background does not get.
const backgroundFlag = "--background"

// background starts the server with the same flags in a process session of its own, and
// returns when it serves.
func (c *serveCmd) background(ctx context.Context, std stdio) error {
	ctx, cancel := context.WithTimeout(ctx, daemonLimit)
	defer cancel()
	stop := "glasstty stop"
	if c.Socket != defaultSocket() {
		stop += " --socket " + word(c.Socket)
	}
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool { return arg == backgroundFlag })
	output, logText, err := (&daemon{socket: c.Socket}).spawn(ctx, "", args)
	if err != nil {
		return err
	}
	fmt.Fprint(std.err, visible(logText)) // for example that the port is taken
	_, err = fmt.Fprintf(std.out, "%sit goes on in the background; end it with: %s\n", output, stop)
	return err
}
