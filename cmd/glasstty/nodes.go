package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/fleet"
)

// fleetCmd holds the subcommands of glasstty fleet.
type fleetCmd struct {
	List   fleetListCmd   `cmd:"" default:"withargs" help:"List the nodes. This is the default."`
	Drain  fleetDrainCmd  `cmd:"" help:"Have a node accept no new sessions, for example before maintenance of its machine."`
	Resume fleetResumeCmd `cmd:"" help:"Have a draining node accept new sessions again."`
	Init   fleetInitCmd   `cmd:"" help:"Write the configuration that a NATS server needs for a fleet, and credentials for the members."`
	Audit  fleetAuditCmd  `cmd:"" help:"Print the audit records of the fleet's members."`
	Forget fleetForgetCmd `cmd:"" help:"Mark a node that does not answer as gone for good."`
}

// fleetInitCmd writes the configuration that a NATS server needs for a fleet.
type fleetInitCmd struct {
	Host    []string `placeholder:"NAME" help:"Name or address by which members reach the NATS server; needed the first time."`
	Node    []string `placeholder:"NAME" help:"A node to make credentials for."`
	Gateway []string `placeholder:"NAME" help:"A gateway to make credentials for. It may do everything on every node, and may be a node too."`
	Dir     string   `arg:"" name:"dir" help:"Directory for the configuration and the credentials."`
}

func (c *fleetInitCmd) run(_ context.Context, std stdio) error {
	setup := fleet.Setup{Dir: c.Dir, Hosts: c.Host}
	if err := setup.CheckHosts(); err != nil {
		return usageError(err)
	}
	if err := setup.Make(c.Node, c.Gateway); err != nil {
		return err
	}
	url, err := setup.URL(false)
	if err != nil {
		return err
	}
	commands := fmt.Sprintf("nats-server -c %s/nats.conf    # when it runs: nats-server --signal reload=%s\n", c.Dir, setup.PIDFile())
	for _, role := range []struct {
		names      []string
		file, flag string
	}{{c.Node, ".node", ""}, {c.Gateway, ".gateway", " --gateway"}} {
		for _, name := range role.names {
			creds := name + role.file
			commands += fmt.Sprintf("glasstty serve --fleet %s --fleet-creds %s --node %s%s    # after copying %s there\n", url, creds, name, role.flag, creds)
		}
	}
	_, err = fmt.Fprint(std.out, commands)
	return err
}

// fleetListCmd lists the nodes of a fleet.
type fleetListCmd struct {
	natsFlags
	Watch bool  `help:"Follow: print a line whenever a node comes, goes, or does not answer, until a signal ends it."`
	JSON  bool  `name:"json" help:"Print JSON, one object a line."`
	Host  hosts `arg:"" optional:"" name:"host" help:"A name or labels, such as build* or gpu=a100 (default: all nodes)."`
}

// A memberName is the name of a node or gateway.
type memberName string

// UnmarshalText reads a name.
func (n *memberName) UnmarshalText(text []byte) error {
	*n = memberName(text)
	if err := fleet.CheckName(string(text)); err != nil {
		return fmt.Errorf("%w; glasstty fleet lists the nodes", err)
	}
	return nil
}

// join joins the fleet as a client. It also asks all nodes for their states, so that an error about an
// unknown node can list the known nodes.
func (f *natsFlags) join(ctx context.Context) (m *fleet.Member, err error) {
	if f.Fleet == "" {
		return nil, usageError(errors.New("name the fleet's NATS server: --fleet URL or GLASSTTY_FLEET"))
	}
	name := f.Node
	if name == "" && f.FleetCreds == "" {
		name = "operator-" + strings.ToLower(rand.Text()[:8])
	} else if name, err = f.node(); err != nil {
		return nil, usageError(err)
	}
	machine, err := os.Hostname()
	if err != nil {
		machine = "?"
	}
	o := fleet.Options{URL: f.Fleet, Creds: f.FleetCreds, Name: name, Operator: uidName(os.Getuid()) + " on " + machine}
	if m, err = fleet.Join(ctx, o); err != nil {
		return nil, err
	}
	if _, err = m.Ask(ctx, ""); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// inFleet joins the fleet as a client, calls do, and leaves.
func (f *natsFlags) inFleet(ctx context.Context, do func(*fleet.Member) error) error {
	m, err := f.join(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	return do(m)
}

func (c *fleetListCmd) run(ctx context.Context, std stdio) error {
	return c.inFleet(ctx, func(m *fleet.Member) error {
		if c.Watch {
			return c.watch(ctx, std.out, m)
		}
		return c.list(ctx, std.out, m)
	})
}

// list prints the nodes. If c.Host selects none, it returns an error.
func (c *fleetListCmd) list(ctx context.Context, out io.Writer, m *fleet.Member) error {
	nodes, err := askNodes(ctx, m, string(c.Host))
	if err != nil {
		return err
	}
	if c.Host != "" && len(nodes) == 0 {
		return m.NoHost(ctx, string(c.Host))
	}
	var lines []string
	for _, n := range nodes {
		word := stateWord(n)
		if word == live.NodeUnreachable {
			word += n.AwaySuffix()
		}
		if c.JSON {
			line := struct {
				fleet.State
				Is string `json:"is"`
			}{n.State, word}
			if err := json.NewEncoder(out).Encode(line); err != nil {
				return err
			}
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d/%d\t%.2f\t%s\t%s", n.Name, word, n.Sessions, n.Capacity, n.Load, plain(n.Version), plainLabels(n.State)))
	}
	if c.JSON {
		return nil
	}
	return printTable(out, "NODE\tSTATE\tSESSIONS\tLOAD\tVERSION\tLABELS", lines)
}

// askNodes asks the nodes that host selects for their states, or all nodes if host is "". The result
// includes nodes that do not answer but have been in the fleet.
func askNodes(ctx context.Context, m *fleet.Member, host string) ([]fleet.Node, error) {
	if err := m.AwaitRecords(ctx); err != nil {
		return nil, err
	}
	if _, err := m.Ask(ctx, host); err != nil {
		return nil, err
	}
	return m.Nodes(host)
}

// plainLabels returns a node's labels as one line that is safe for a terminal.
func plainLabels(s fleet.State) string {
	labels := s.LabelList()
	for i, label := range labels {
		labels[i] = plain(label)
	}
	return strings.Join(labels, " ")
}

// askInterval is the interval at which nodes are asked for their states.
const askInterval = 2 * time.Second

// States that --watch prints in addition to those of live.Node.
const (
	nodeLeft = "left"            // a node that has left the fleet
	natsAway = "no connection"   // the connection to the NATS server is down
	natsBack = "connected again" // the connection to the NATS server was down and is up again
)

// stateWord returns the state of a node: one of the constants for live.Node.State.
func stateWord(n fleet.Node) string {
	switch {
	case n.Lost():
		return live.NodeLost
	case n.Away() > 0:
		return live.NodeUnreachable
	case n.OtherVersion():
		return live.NodeOther
	case !n.Draining:
		return live.NodeHere
	case n.Sessions > 0:
		return live.NodeDraining
	}
	return live.NodeEmpty
}

// watch prints changes of the states until ctx ends.
func (c *fleetListCmd) watch(ctx context.Context, out io.Writer, m *fleet.Member) error {
	last := map[string]string{}
	for {
		now, err := c.states(ctx, m, last)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		both := maps.Clone(last)
		maps.Copy(both, now)
		for _, name := range slices.Sorted(maps.Keys(both)) {
			if now[name] == last[name] {
				continue
			}
			if err := c.printChange(out, name, cmp.Or(now[name], nodeLeft)); err != nil {
				return err
			}
		}
		last = now
		if pause(ctx, askInterval) != nil {
			return nil
		}
	}
}

// printChange prints the new state of a node or of the NATS server, with the time.
func (c *fleetListCmd) printChange(out io.Writer, name, state string) error {
	now := time.Now()
	if c.JSON {
		return json.NewEncoder(out).Encode(struct {
			At   time.Time `json:"at"`
			Node string    `json:"node"`
			Is   string    `json:"is"`
		}{now, name, state})
	}
	_, err := fmt.Fprintf(out, "%s  %s  %s\n", now.Format(time.TimeOnly), name, state)
	return err
}

// states returns the states of the nodes by name. If there is no connection to the NATS server, it returns
// the states in last. Once the connection has been lost, it adds the NATS server's state under its URL.
func (c *fleetListCmd) states(ctx context.Context, m *fleet.Member, last map[string]string) (map[string]string, error) {
	nodes, err := askNodes(ctx, m, string(c.Host))
	if err != nil {
		return nil, err
	}
	now := map[string]string{}
	if m.Connected() != nil {
		maps.Copy(now, last)
		now[c.Fleet] = natsAway
		return now, nil
	}
	if last[c.Fleet] != "" {
		now[c.Fleet] = natsBack
	}
	for _, n := range nodes {
		now[n.Name] = fmt.Sprintf("%s, sessions %d/%d", stateWord(n), n.Sessions, n.Capacity)
	}
	return now, nil
}
