package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/glasstty/glasstty/cmd/glasstty/doctor"
	"github.com/glasstty/glasstty/session"
)

// doctorCmd tests the machine.
type doctorCmd struct {
	Socket string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The socket to test (default: that of glasstty serve)."`
	JSON   bool   `name:"json" help:"Print a JSON array."`
}

func (c *doctorCmd) run(ctx context.Context, std stdio) error {
	mgr := session.NewManager(session.Options{})
	findings, failed := []doctor.Finding{}, false
	doctor.Examine(ctx, mgr, cmp.Or(c.Socket, defaultSocket()), os.Getenv, func(f doctor.Finding) {
		findings = append(findings, f)
		failed = failed || f.Grade == doctor.Broken
		if c.JSON {
			return
		}
		fmt.Fprintf(std.out, "%-4s  %-15s  %s\n", f.Grade, f.Name, visible(f.Text))
		if f.Todo != "" {
			fmt.Fprintf(std.out, "%-4s  %-15s  → %s\n", "", "", visible(f.Todo))
		}
	})
	err := closeWithin(mgr, closeLimit)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.JSON {
		err = errors.Join(err, json.NewEncoder(std.out).Encode(findings))
	}
	if failed {
		err = errors.Join(err, errors.New("something essential is missing; see the lines with FAIL"))
	}
	return err
}
