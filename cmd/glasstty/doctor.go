package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/glasstty/glasstty/cmd/glasstty/doctor"
	"github.com/glasstty/glasstty/session"
)

// doctorCmd tests the machine.
type doctorCmd struct {
	Socket string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The socket to test (default: that of glasstty serve)."`
}

func (c *doctorCmd) run(ctx context.Context, std stdio) error {
	mgr := session.NewManager(session.Options{})
	failed := false
	doctor.Examine(ctx, mgr, cmp.Or(c.Socket, defaultSocket()), func(f doctor.Finding) {
		failed = failed || f.Grade == doctor.Broken
		fmt.Fprintf(std.out, "%-4s  %-15s  %s\n", f.Grade, f.Name, escapeInvisible(f.Text))
		if f.Remedy != "" {
			fmt.Fprintf(std.out, "%-4s  %-15s  → %s\n", "", "", escapeInvisible(f.Remedy))
		}
	})
	err := closeWithin(mgr, closeLimit)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if failed {
		err = errors.Join(err, errors.New("something essential is missing; see the lines with FAIL"))
	}
	return err
}
