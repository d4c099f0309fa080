package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/fleet"
)

// fleetDrainCmd has a node take no new sessions.
type fleetDrainCmd struct {
	natsFlags
	Wait bool   `help:"Return when no program runs there any more, and say every change until then."`
	Name string `arg:"" name:"node" help:"The node's name."`
}

// Help returns the command's longer description.
func (*fleetDrainCmd) Help() string {
	return "The node's sessions keep running and can be used; start_process is refused there, also for its own clients. The node " +
		"drains until glasstty fleet resume, or until its server ends."
}

func (c *fleetDrainCmd) run(ctx context.Context, std stdio) error {
	m, err := c.join(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := m.Drain(ctx, c.Name, true)
	if err != nil || !c.Wait {
		return tellNode(std.out, s, err)
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for last := -1; ; {
		if s.Sessions != last {
			if err := tellNode(std.out, s, nil); err != nil {
				return err
			}
			last = s.Sessions
		}
		if !s.Draining {
			return fmt.Errorf("node %s takes sessions again: somebody ended its draining, or its server was started again", c.Name)
		}
		if s.Sessions == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		if s, err = m.State(ctx, c.Name); err != nil {
			return err
		}
	}
}

// tellNode prints how a node is, unless it could not be told.
func tellNode(out io.Writer, s fleet.State, err error) error {
	if err == nil {
		_, err = fmt.Fprintf(out, "%s: %s, sessions %d/%d\n", s.Name, stateWord(s), s.Sessions, s.Capacity)
	}
	return err
}

// fleetResumeCmd ends a node's draining.
type fleetResumeCmd struct {
	natsFlags
	Name string `arg:"" name:"node" help:"The node's name."`
}

func (c *fleetResumeCmd) run(ctx context.Context, std stdio) error {
	m, err := c.join(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := m.Drain(ctx, c.Name, false)
	return tellNode(std.out, s, err)
}

// fleetForgetCmd says that a node will not come back.
type fleetForgetCmd struct {
	natsFlags
	Name string `arg:"" name:"node" help:"The node's name."`
}

// Help returns the command's longer description.
func (*fleetForgetCmd) Help() string {
	return "The node and its sessions then count as lost instead of unreachable. If the node comes back after all, it is a node like " +
		"any other."
}

func (c *fleetForgetCmd) run(ctx context.Context, std stdio) error {
	m, err := c.join(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := m.Forget(ctx, c.Name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%s: %s\n", c.Name, live.NodeLost)
	return err
}
