package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/fleet"
)

// fleetDrainCmd makes a node refuse new sessions.
type fleetDrainCmd struct {
	natsFlags
	Wait bool       `help:"Print the state at each change, and return when no program runs on the node."`
	Name memberName `arg:"" name:"node" help:"The node's name."`
}

func (c *fleetDrainCmd) run(ctx context.Context, std stdio) error {
	return c.inFleet(ctx, func(m *fleet.Member) error {
		s, err := m.Drain(ctx, string(c.Name), true)
		if err != nil || !c.Wait {
			return printNode(std.out, s, err)
		}
		return c.wait(ctx, std.out, m, s)
	})
}

// wait prints the state of the node, first s, whenever the number of sessions changes. It returns when no
// program runs on the node, or with an error when the node takes sessions again.
func (c *fleetDrainCmd) wait(ctx context.Context, out io.Writer, m *fleet.Member, s fleet.State) error {
	for last := -1; ; {
		if s.Sessions != last {
			if err := printNode(out, s, nil); err != nil {
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
		err := pause(ctx, askInterval)
		if err == nil {
			s, err = m.State(ctx, string(c.Name))
		}
		if err != nil {
			return err
		}
	}
}

// printNode prints the state of a node, or returns err.
func printNode(out io.Writer, s fleet.State, err error) error {
	if err == nil {
		_, err = fmt.Fprintf(out, "%s: %s, sessions %d/%d\n", s.Name, stateWord(fleet.Node{State: s}), s.Sessions, s.Capacity)
	}
	return err
}

// fleetResumeCmd makes a draining node take new sessions again.
type fleetResumeCmd struct {
	natsFlags
	Name memberName `arg:"" name:"node" help:"The node's name."`
}

func (c *fleetResumeCmd) run(ctx context.Context, std stdio) error {
	return c.inFleet(ctx, func(m *fleet.Member) error {
		s, err := m.Drain(ctx, string(c.Name), false)
		return printNode(std.out, s, err)
	})
}

// fleetForgetCmd marks a node as gone for good.
type fleetForgetCmd struct {
	natsFlags
	Name memberName `arg:"" name:"node" help:"The node's name."`
}

func (c *fleetForgetCmd) run(ctx context.Context, std stdio) error {
	return c.inFleet(ctx, func(m *fleet.Member) error {
		text := "%s: %s\n"
		err := m.Forget(ctx, string(c.Name))
		if errors.Is(err, fleet.ErrLost) {
			text, err = "%s was %s already\n", nil
		}
		if err == nil {
			_, err = fmt.Fprintf(std.out, text, c.Name, live.NodeLost)
		}
		return err
	})
}
