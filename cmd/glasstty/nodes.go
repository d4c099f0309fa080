package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/fleet"
)

// fleetCmd has what is done with a fleet.
type fleetCmd struct {
	List   fleetListCmd   `cmd:"" default:"withargs" help:"List the nodes. This is the default."`
	Drain  fleetDrainCmd  `cmd:"" help:"Have a node accept no new sessions, for example before maintenance of its machine."`
	Resume fleetResumeCmd `cmd:"" help:"Have a draining node accept new sessions again."`
	Init   fleetInitCmd   `cmd:"" help:"Write the configuration that a NATS server needs for a fleet, and credentials for the members."`
	Audit  fleetAuditCmd  `cmd:"" help:"Print the audit records of the fleet's members."`
	Forget fleetForgetCmd `cmd:"" help:"Mark a node that does not answer as gone for good."`
}

// fleetInitCmd makes what a NATS server needs to serve a fleet.
type fleetInitCmd struct {
	Host    []string `placeholder:"NAME" help:"Name or address by which members reach the NATS server; needed the first time."`
	Node    []string `placeholder:"NAME" help:"A node to make credentials for."`
	Gateway []string `placeholder:"NAME" help:"A gateway to make credentials for. It may do everything on every node, and may be a node too."`
	Dir     string   `arg:"" name:"dir" help:"Directory for the configuration and the credentials."`
}

// Help returns the command's longer description.
func (*fleetInitCmd) Help() string {
	return "It writes a configuration for nats-server with TLS, JetStream and a user for each member, and prints the commands to run. " +
		"Run it again with more names to add members; existing members keep their credentials."
}

func (c *fleetInitCmd) run(_ context.Context, std stdio) error {
	setup := fleet.Setup{Dir: c.Dir, Hosts: c.Host}
	if err := setup.CheckHosts(); err != nil {
		return usageError{err}
	}
	if err := setup.Make(c.Node, c.Gateway); err != nil {
		return err
	}
	url, err := setup.URL(false)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("nats-server -c %s/nats.conf    # when it runs: nats-server --signal reload=%s\n", c.Dir, setup.PIDFile())
	for _, role := range []struct {
		names      []string
		file, flag string
	}{{c.Node, ".node", ""}, {c.Gateway, ".gateway", " --gateway"}} {
		for _, name := range role.names {
			creds := name + role.file
			said += fmt.Sprintf("glasstty serve --fleet %s --fleet-creds %s --node %s%s    # after copying %s there\n", url, creds, name, role.flag, creds)
		}
	}
	_, err = fmt.Fprint(std.out, said)
	return err
}

// fleetListCmd lists the nodes of a fleet.
type fleetListCmd struct {
	natsFlags
	Watch bool   `help:"Follow: print a line whenever a node comes, goes, or does not answer, until a signal ends it."`
	JSON  bool   `name:"json" help:"Print JSON, one object a line."`
	Host  string `arg:"" optional:"" name:"host" help:"A name or labels, such as build* or gpu=a100 (default: all nodes)."`
}

// Help returns the command's longer description.
func (*fleetListCmd) Help() string {
	return "It asks all nodes through the fleet's NATS server, and prints for each node the sessions that run and the most that " +
		"may run, the load per processor, and the labels that host in start_process can select."
}

// join joins the fleet to ask it something. An error about a node that is not there names
// those that are, so they are asked first.
func (f *natsFlags) join(ctx context.Context) (m *fleet.Member, err error) {
	if f.Fleet == "" {
		return nil, usageError{errors.New("name the fleet's NATS server: --fleet URL or GLASSTTY_FLEET")}
	}
	name := f.Node
	if name == "" && f.FleetCreds == "" {
		name = "operator-" + strings.ToLower(rand.Text()[:8])
	} else if name, err = f.node(); err != nil {
		return nil, usageError{err}
	}
	if m, err = fleet.Join(ctx, fleet.Options{URL: f.Fleet, Creds: f.FleetCreds, Name: name}); err != nil {
		return nil, err
	}
	if _, err = m.Ask(ctx, ""); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (c *fleetListCmd) run(ctx context.Context, std stdio) (err error) {
	m, err := c.join(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	if c.Watch {
		return c.watch(ctx, std.out, m)
	}
	nodes, err := nodeLines(ctx, m, c.Host)
	if err != nil {
		return err
	}
	if c.Host != "" && len(nodes) == 0 {
		return m.NoHost(ctx, c.Host)
	}
	for i, n := range nodes {
		if n.Is == live.NodeUnreachable {
			nodes[i].Is += n.away
		}
	}
	return c.print(std.out, nodes)
}

// A nodeLine is a node as it is printed.
type nodeLine struct {
	fleet.State
	Is string `json:"is"`

	away string // how long it has not answered
}

// nodeLines asks the nodes that host means, "" for all, and returns them by name.
func nodeLines(ctx context.Context, m *fleet.Member, host string) ([]nodeLine, error) {
	if err := m.Recall(ctx); err != nil {
		return nil, err
	}
	answered, err := m.Ask(ctx, host)
	if err != nil {
		return nil, err
	}
	known, err := m.Nodes(host)
	if err != nil {
		return nil, err
	}
	var out []nodeLine
	for _, n := range known {
		line := nodeLine{n.State, stateWord(n.State), n.AwayFor()}
		switch {
		case slices.ContainsFunc(answered, func(s fleet.State) bool { return s.Name == n.Name }):
		case n.Lost:
			line.Is = live.NodeLost
		default:
			line.Is = live.NodeUnreachable
		}
		out = append(out, line)
	}
	return out, nil
}

// print prints nodes.
func (c *fleetListCmd) print(out io.Writer, nodes []nodeLine) error {
	if c.JSON {
		e := json.NewEncoder(out)
		for _, n := range nodes {
			if err := e.Encode(n); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tSTATE\tSESSIONS\tLOAD\tVERSION\tLABELS")
	for _, n := range nodes {
		fmt.Fprintf(w, "%s\t%s\t%d/%d\t%.2f\t%s\t%s\n", n.Name, n.Is, n.Sessions, n.Capacity, n.Load, plain(n.Version), plainLabels(n.Labels))
	}
	return w.Flush()
}

// plainLabels returns labels for a terminal.
func plainLabels(labels map[string]string) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		out = append(out, plain(key+"="+labels[key]))
	}
	return strings.Join(out, " ")
}

// watchEvery is how often the nodes are asked.
const watchEvery = 2 * time.Second

// A nodeEvent is a line of --watch.
type nodeEvent struct {
	At   time.Time `json:"at"`
	Node string    `json:"node"`
	Is   string    `json:"is"`
}

// nodeLeft is what --watch says of a node that has left the fleet.
const nodeLeft = "left"

// stateWord returns the state of a node that answers.
func stateWord(n fleet.State) string {
	switch {
	case n.OtherVersion():
		return live.NodeOther
	case !n.Draining:
		return live.NodeHere
	case n.Sessions > 0:
		return live.NodeDraining
	}
	return live.NodeEmpty
}

// watch prints what changes.
func (c *fleetListCmd) watch(ctx context.Context, out io.Writer, m *fleet.Member) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	was := map[string]string{}
	for {
		nodes, err := nodeLines(ctx, m, c.Host)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, change := range changes(was, nodes) {
			if err := c.tell(out, change); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// changes returns what has changed since was, which it updates.
func changes(was map[string]string, nodes []nodeLine) []nodeEvent {
	now := time.Now()
	var out []nodeEvent
	is := map[string]string{}
	for _, n := range nodes {
		is[n.Name] = fmt.Sprintf("%s, sessions %d/%d", n.Is, n.Sessions, n.Capacity)
	}
	for name := range was {
		if is[name] == "" {
			out = append(out, nodeEvent{now, name, nodeLeft})
			delete(was, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] != is[name] {
			out = append(out, nodeEvent{now, name, is[name]})
			was[name] = is[name]
		}
	}
	return out
}

// tell prints a change.
func (c *fleetListCmd) tell(out io.Writer, e nodeEvent) error {
	if c.JSON {
		return json.NewEncoder(out).Encode(e)
	}
	_, err := fmt.Fprintf(out, "%s  %s  %s\n", e.At.Format(time.TimeOnly), e.Node, e.Is)
	return err
}
