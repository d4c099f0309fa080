package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/archive"
)

// natsFlags are the flags for reaching a fleet.
type natsFlags struct {
	Fleet      string `placeholder:"URL" env:"GLASSTTY_FLEET" help:"NATS server of the fleet to join, such as tls://nats.example.com:4222, or several separated by commas. See docs/fleet.md."`
	FleetCreds string `placeholder:"FILE" env:"GLASSTTY_FLEET_CREDS" help:"File with the NATS credentials; without it only a NATS server on the loopback address is allowed."`
	Node       string `placeholder:"NAME" env:"GLASSTTY_NODE" help:"This server's name in the fleet (default: the machine's name)."`
}

// fleetFlags are a server's flags for joining a fleet.
type fleetFlags struct {
	natsFlags
	FleetServer string   `placeholder:"DIR" env:"GLASSTTY_FLEET_SERVER" help:"Run the fleet's NATS server (the program nats-server) and join it. DIR has the configuration that glasstty fleet init has written; if there is none, it is written now."`
	Label       []string `placeholder:"KEY=VALUE" env:"GLASSTTY_LABEL" help:"Labels by which this node can be selected, such as gpu=a100; os and arch are set automatically."`
	Place       string   `placeholder:"HOST" env:"GLASSTTY_PLACE" help:"Host for start_process calls that name none, as a name, a pattern or labels; * is the least loaded node (default: this server)."`
	Gateway     bool     `env:"GLASSTTY_GATEWAY" help:"Reach the fleet's nodes and run no programs here."`

	FleetRecordings bool `env:"GLASSTTY_FLEET_RECORDINGS" help:"Copy the recordings of this server's sessions to the fleet's NATS server, and read those of nodes that are gone."`
}

// node returns this server's name in the fleet: that of --node, or else one made from the machine's name.
func (f *natsFlags) node() (string, error) {
	name := f.Node
	if name == "" {
		machine, err := os.Hostname()
		if err != nil {
			return "", fmt.Errorf("name this node with --node: %w", err)
		}
		name = fleet.DefaultName(machine)
	}
	return name, fleet.CheckName(name)
}

// newFleet checks the flags and returns a link to the fleet that they name. If none of the flags is
// set, it returns nil without an error. The link connects when join is called.
func (f *fleetFlags) newFleet() (*fleetLink, error) {
	switch {
	case f.FleetServer != "" && (f.Fleet != "" || f.FleetCreds != ""):
		return nil, errors.New("--fleet-server joins the fleet that it serves: leave out --fleet and --fleet-creds")
	case f.FleetServer != "" || f.Fleet != "":
	case f.FleetCreds != "" || f.Node != "" || len(f.Label) > 0 || f.Place != "" || f.Gateway || f.FleetRecordings:
		return nil, errors.New("--fleet-creds, --node, --label, --place, --gateway and --fleet-recordings need --fleet URL or --fleet-server DIR")
	default:
		return nil, nil
	}
	name, err := f.node()
	if err != nil {
		return nil, err
	}
	labels, err := fleet.ParseLabels(f.Label)
	if err != nil {
		return nil, err
	}
	if err := fleet.CheckHost(f.Place); err != nil {
		return nil, fmt.Errorf("--place: %w", err)
	}
	if f.Gateway && len(f.Label) > 0 {
		return nil, errors.New("--label is for nodes, and --gateway runs no programs: leave one of them out")
	}
	labels["os"], labels["arch"] = runtime.GOOS, runtime.GOARCH
	return &fleetLink{flags: f, name: name, labels: labels}, nil
}

// setUpServer writes the configuration of the fleet's NATS server, which runs here, and this server's
// credentials, unless they exist. It then sets the flags with which this server joins the fleet.
func (l *fleetLink) setUpServer() error {
	l.setup = &fleet.Setup{Dir: fullPath(l.flags.FleetServer), Hosts: machineNames()}
	err := l.setup.Make(nil, []string{l.name})
	if err == nil {
		l.flags.Fleet, err = l.setup.URL(true)
	}
	if err != nil {
		return fmt.Errorf("--fleet-server: %w", err)
	}
	l.flags.FleetCreds = l.setup.Credentials(l.name)
	return nil
}

// machineNames returns the names and addresses by which this machine may be reached.
func machineNames() []string {
	var names []string
	if name, err := os.Hostname(); err == nil && name != "" {
		names = append(names, name)
	}
	names = append(names, "localhost", "127.0.0.1")
	addrs, _ := net.InterfaceAddrs() // on an error, the list has only the names
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() {
			names = append(names, ip.IP.String())
		}
	}
	return names
}

// checkFleet checks the fleet flags and sets c.link, to nil if the flags name no fleet.
func (c *serveCmd) checkFleet() (err error) {
	if c.link, err = c.newFleet(); c.link == nil {
		return err
	}
	if c.FleetCreds == "" && c.FleetServer == "" && c.Sandbox != "off" && !c.Gateway {
		return errors.New("--fleet without --fleet-creds and --sandbox contradict each other: a program in the sandbox can reach the NATS server, " +
			"which asks for nothing, and start programs without a sandbox through it; give the node credentials")
	}
	if c.FleetRecordings && !c.Gateway && c.root() == "" {
		return errors.New("--fleet-recordings ships the logs on disk: it needs a --data-dir")
	}
	return nil
}

// setFleet checks the fleet flags and sets the fields of c that depend on the fleet. If --fleet-server
// is set, it also sets up the NATS server. If the flags name no fleet, it sets nothing.
func (c *serveCmd) setFleet() error {
	if err := c.checkFleet(); err != nil || c.link == nil {
		return err
	}
	if c.FleetServer != "" {
		if err := c.link.setUpServer(); err != nil {
			return err
		}
	}
	c.fleet, c.forget, c.link.dataDir, c.member = c.link, c.link.forget, c.root(), c.link.name
	return nil
}

// joinFleet logs the sessions that this server has taken over to the audit log. If the flags name a
// fleet, it then joins the fleet and starts shipping the audit log. Gateways show page, the live page.
func (c *serveCmd) joinFleet(ctx context.Context, mgr *session.Manager, page http.Handler, stderr io.Writer) error {
	if err := c.auditTakeover(ctx, mgr.List()); err != nil || c.link == nil {
		return err
	}
	if c.FleetRecordings {
		all, err := c.sessions(session.Options{}, io.Discard)
		if err != nil {
			return err
		}
		c.link.logs = session.Options{Limits: all.Limits, Terminal: all.Terminal, Mask: all.Mask}
	}
	c.link.audit = c.log
	if err := c.link.join(ctx, mgr, page, int(c.MaxSessions), c.options(stderr)); err != nil {
		return err
	}
	lastFile := ""
	if c.link.dataDir != "" {
		lastFile = filepath.Join(c.link.dataDir, "audit-shipped-"+c.link.name)
	}
	c.link.stopAuditShipping = shipAudit(ctx, c.link.member, c.log, lastFile, c.link.log)
	return nil
}

// A fleetLink is a server's membership in a fleet. It is nil for a server in no fleet.
type fleetLink struct {
	flags  *fleetFlags
	name   string            // in the fleet
	labels map[string]string // by which this node can be selected
	setup  *fleet.Setup      // configuration of the NATS server that runs here; nil if none does
	nats   *fleet.NATSServer // the NATS server that runs here; nil if none does
	log    *slog.Logger      // nil before join
	remote *mcpserver.Remote // runs calls from gateways; nil in a gateway
	page   *http.Server      // serves the live page to gateways; nil in a gateway
	audit  *audit.Log        // nil if there is no audit log
	roster roster            // the nodes that the live page shows
	member *fleet.Member     // nil before join
	closed sync.Once         // runs the body of close

	dataDir           string                          // "" if logs are in memory
	logs              session.Options                 // for sessions restored from recordings
	recorded          *recordings                     // nil without --fleet-recordings
	shipper           atomic.Pointer[archive.Shipper] // nil without --fleet-recordings, and in a gateway
	stopAuditShipping func()                          // stops shipping the audit log; may be nil
}

// join joins the fleet. It must be called once, before any other method that uses the connection.
// capacity is the maximum number of sessions that this node may run.
func (l *fleetLink) join(ctx context.Context, mgr *session.Manager, page http.Handler, capacity int, o mcpserver.Options) (err error) {
	l.log = o.Logger
	if l.setup != nil {
		if l.nats, err = l.setup.Serve(ctx, o.Logger); err != nil {
			return err
		}
	}
	opt := fleet.Options{
		URL: l.flags.Fleet, Creds: l.flags.FleetCreds, Name: l.name, Labels: l.labels, Logger: o.Logger,
		ResendBody: mcpserver.AddWaited, Stopping: mcpserver.ErrStopping, Hosts: allowedHosts,
		HandleOrder: func(order fleet.Order) error { return l.handleOrder(ctx, mgr, order) },
		Server:      true, Audit: l.audit != nil, Recordings: l.flags.FleetRecordings,
	}
	if l.RunsPrograms() {
		if l.remote, err = mcpserver.NewRemote(ctx, mgr, o, l.name); err != nil {
			l.nats.Close()
			return err
		}
		l.page = newConnServer(page, o.Logger)
		opt.Handle, opt.HandleUnread, opt.HandleStream = l.remote.Handle, l.remote.Unread, l.serveGateway
		opt.State = func() fleet.State { return l.state(mgr, capacity) }
	}
	l.member, err = fleet.Join(ctx, opt)
	if err != nil {
		l.closeRemote()
		l.nats.Close()
		return err
	}
	if l.flags.FleetRecordings {
		l.startRecordings(ctx, mgr, o)
	}
	return nil
}

// startRecordings lets clients read the recordings of unreachable nodes. A node also starts shipping
// the recordings of its sessions.
func (l *fleetLink) startRecordings(ctx context.Context, mgr *session.Manager, o mcpserver.Options) {
	l.recorded = newRecordings(l, o, l.logs)
	if !l.RunsPrograms() {
		return
	}
	shipper := archive.NewShipper(l.member.Recordings(), filepath.Join(l.dataDir, "unshipped"), o.Logger)
	l.shipper.Store(shipper)
	go func() {
		var seen uint64
		for {
			all, now, err := mgr.Sessions(ctx, seen)
			if err != nil {
				return // the server is stopping
			}
			seen = now
			for _, s := range all {
				if path := s.RecordingPath(); path != "" {
					shipper.Follow(filepath.Dir(path), s.Changed)
				}
			}
		}
	}()
}

// forget implements session.Options.Forget: it stops shipping the log in dir before the log is removed.
func (l *fleetLink) forget(dir string, deleted bool) error {
	shipper := l.shipper.Load()
	if shipper == nil {
		return nil
	}
	return shipper.Forget(dir, deleted)
}

// invitation explains how to add nodes to the fleet. It returns "" if the fleet's NATS server does
// not run here, or if the NATS server's address is unknown.
func (l *fleetLink) invitation() string {
	if l == nil || l.setup == nil {
		return ""
	}
	url, err := l.setup.URL(false)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("serving the fleet at %s; to add a node: glasstty fleet init --node NAME %s, then nats-server --signal reload=%s\n", url, l.setup.Dir, l.setup.PIDFile())
}

// handleOrder logs an operator's order to the audit log. Orders to drain and resume are for this node,
// and handleOrder carries them out. An order to forget another node is only logged.
func (l *fleetLink) handleOrder(ctx context.Context, mgr *session.Manager, o fleet.Order) error {
	_, err := l.audit.Write(ctx, audit.Record{
		Event: "fleet." + o.Do, Args: map[string]any{"node": o.Node},
		Actor: audit.Actor{Via: "fleet", Who: o.Operator, From: "gateway " + o.Gateway},
	})
	if err != nil || o.Do == fleet.OrderForget {
		return err
	}
	var why error
	if o.Do == fleet.OrderDrain {
		why = fmt.Errorf("node %s is %w and takes no new sessions; start the program on another host (glasstty fleet lists them), "+
			"or have the node take sessions again: glasstty fleet resume %[1]s", l.name, fleet.ErrDraining)
	}
	mgr.RefuseStarts(why)
	return nil
}

// state returns the state that this node reports to the fleet.
func (l *fleetLink) state(mgr *session.Manager, capacity int) fleet.State {
	return fleet.State{Version: version(), Sessions: countStatus(mgr, session.StatusRunning), Capacity: capacity, Load: machineLoad()}
}

// leave leaves the fleet. If the sessions keep running (stay), or in a gateway, leave does what close
// does. Otherwise close must be called when the sessions have ended: it ships the ends of recordings.
func (l *fleetLink) leave(stay bool) {
	switch {
	case l == nil:
	case stay || !l.RunsPrograms():
		l.close(stay)
	default:
		l.member.Leave()
		l.closeRemote()
	}
}

// close ships the rest of the recordings and of the audit log, leaves the fleet and stops the NATS server
// that runs here. If stay is true, the sessions keep running, and the next server rejoins with them.
func (l *fleetLink) close(stay bool) {
	if l == nil {
		return
	}
	l.closed.Do(func() {
		if shipper := l.shipper.Load(); shipper != nil {
			shipper.Close()
		}
		if l.stopAuditShipping != nil {
			l.stopAuditShipping()
		}
		l.recorded.close()
		if stay {
			l.member.Detach()
		} else {
			l.member.Close()
		}
		l.closeRemote()
		l.nats.Close()
	})
}

// closeRemote ends the calls and page streams from other members.
func (l *fleetLink) closeRemote() {
	if l.remote != nil {
		l.remote.Close()
		if err := l.page.Close(); err != nil {
			l.log.Debug("fleet: the page", "err", err)
		}
	}
}

// Name implements mcpserver.Fleet.
func (l *fleetLink) Name() string { return l.name }

// node returns this server's name in its fleet, or "" if it is in none.
func (l *fleetLink) node() string {
	if l == nil {
		return ""
	}
	return l.name
}

// RunsPrograms implements mcpserver.Fleet.
func (l *fleetLink) RunsPrograms() bool { return !l.flags.Gateway }

// accepts reports whether this server accepts a token that is limited to hosts. A gateway accepts
// every such token, a node only one whose hosts include it, and a server in no fleet none.
func (l *fleetLink) accepts(hosts string) bool {
	return l != nil && (!l.RunsPrograms() || fleet.Matches(hosts, fleet.State{Name: l.name, Labels: l.labels}))
}

// allowedHosts returns the hosts that the client's token is limited to, or "".
func allowedHosts(ctx context.Context) string { return httpserve.PrincipalOf(ctx).Hosts }

// DefaultHosts implements mcpserver.Fleet.
func (l *fleetLink) DefaultHosts() string { return l.flags.Place }

// Pick implements mcpserver.Fleet.
func (l *fleetLink) Pick(ctx context.Context, host string) (string, error) {
	return l.member.Pick(ctx, host)
}

// NoHost implements mcpserver.Fleet.
func (l *fleetLink) NoHost(ctx context.Context, host string) error {
	return l.member.NoHost(ctx, host)
}

// Call implements mcpserver.Fleet. If host does not answer, its recordings may.
func (l *fleetLink) Call(ctx context.Context, host, identity string, body []byte, progress func([]byte)) ([]byte, error) {
	out, err := l.member.Call(ctx, host, identity, body, progress)
	if err != nil {
		return l.recorded.handle(ctx, host, body, progress, err)
	}
	return out, nil
}

// Hosts implements mcpserver.Fleet. It includes this server even while the connection to the
// fleet is down.
func (l *fleetLink) Hosts(ctx context.Context, host string) (names []string, err error) {
	nodes, err := l.member.Nodes(host)
	if err != nil {
		return nil, err
	}
	if l.RunsPrograms() && fleet.Matches(host, fleet.State{Name: l.name, Labels: l.labels}) {
		names = append(names, l.name)
	}
	for _, n := range nodes {
		if !n.Lost() && (n.Name != l.name || !l.RunsPrograms()) && l.member.Allowed(ctx, n.Name) {
			names = append(names, n.Name)
		}
	}
	return names, nil
}
