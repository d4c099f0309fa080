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
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/archive"
)

// natsFlags say how to reach a fleet.
type natsFlags struct {
	Fleet      string `placeholder:"URL" env:"GLASSTTY_FLEET" help:"NATS server of the fleet to join, such as tls://nats.example.com:4222, or several separated by commas. See docs/fleet.md."`
	FleetCreds string `placeholder:"FILE" env:"GLASSTTY_FLEET_CREDS" help:"File with the NATS credentials; without it only a NATS server on the loopback address is allowed."`
	Node       string `placeholder:"NAME" env:"GLASSTTY_NODE" help:"This server's name in the fleet (default: the machine's name)."`
}

// fleetFlags are what a server says to join a fleet.
type fleetFlags struct {
	natsFlags
	FleetServer string   `placeholder:"DIR" env:"GLASSTTY_FLEET_SERVER" help:"Run the fleet's NATS server (the program nats-server) and join it. DIR has the configuration that glasstty fleet init has written; if there is none, it is written now."`
	Label       []string `placeholder:"KEY=VALUE" env:"GLASSTTY_LABEL" help:"Labels by which this node can be selected, such as gpu=a100; os and arch are set automatically."`
	Place       string   `placeholder:"HOST" env:"GLASSTTY_PLACE" help:"Host for calls of start_process that give none: a name, a pattern or labels; * is the least loaded of all nodes (default: this server)."`
	Gateway     bool     `env:"GLASSTTY_GATEWAY" help:"Reach the fleet's nodes and run no programs here."`

	FleetRecordings bool `env:"GLASSTTY_FLEET_RECORDINGS" help:"Copy the recordings of this server's sessions to the fleet's NATS server, and read those of nodes that are gone."`
}

// node returns the name in the fleet.
func (f *natsFlags) node() (string, error) {
	name := f.Node
	if name == "" {
		machine, err := os.Hostname()
		if err != nil {
			return "", fmt.Errorf("name this node with --node: %w", err)
		}
		name = fleet.NameOf(machine)
	}
	return name, fleet.CheckName(name)
}

// newFleet returns what the flags ask for, nil when they ask for no fleet.
func (f *fleetFlags) newFleet() (*fleetLink, error) {
	if f.FleetServer != "" {
		return f.newFleetServer()
	}
	if f.Fleet == "" {
		if f.FleetCreds != "" || f.Node != "" || len(f.Label) > 0 || f.Place != "" || f.Gateway || f.FleetRecordings {
			return nil, errors.New("--fleet-creds, --node, --label, --place, --gateway and --fleet-recordings need --fleet URL or --fleet-server DIR")
		}
		return nil, nil
	}
	return f.newLink()
}

// newFleetServer is newFleet where this server runs the NATS server.
func (f *fleetFlags) newFleetServer() (*fleetLink, error) {
	if f.Fleet != "" || f.FleetCreds != "" {
		return nil, errors.New("--fleet-server joins the fleet that it serves: leave out --fleet and --fleet-creds")
	}
	name, err := f.node()
	if err != nil {
		return nil, err
	}
	setup := fleet.Setup{Dir: fullPath(f.FleetServer), Hosts: machineNames()}
	if err := setup.Make(nil, []string{name}); err != nil {
		return nil, fmt.Errorf("--fleet-server: %w", err)
	}
	if f.Fleet, err = setup.URL(true); err != nil {
		return nil, fmt.Errorf("--fleet-server: %w", err)
	}
	f.FleetCreds = setup.Credentials(name)
	link, err := f.newLink()
	if link != nil {
		link.setup = &setup
	}
	return link, err
}

// machineNames returns the names and addresses by which this machine may be reached.
func machineNames() []string {
	var names []string
	if name, err := os.Hostname(); err == nil && name != "" {
		names = append(names, name)
	}
	names = append(names, "localhost", "127.0.0.1")
	addrs, _ := net.InterfaceAddrs() // without them there are fewer names
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() {
			names = append(names, ip.IP.String())
		}
	}
	return names
}

// newLink returns what joins the fleet that the flags name.
func (f *fleetFlags) newLink() (*fleetLink, error) {
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

// setFleet reads the flags of the fleet.
func (c *serveCmd) setFleet() (err error) {
	if c.link, err = c.newFleet(); c.link == nil {
		return err
	}
	if c.FleetCreds == "" && c.Sandbox != "off" && !c.Gateway {
		return errors.New("--fleet without --fleet-creds and --sandbox contradict each other: a program in the sandbox can reach the NATS server, " +
			"which asks for nothing, and start programs without a sandbox through it; give the node credentials")
	}
	if c.FleetRecordings && !c.Gateway && c.root() == "" {
		return errors.New("--fleet-recordings ships the logs on disk: it needs a --data-dir")
	}
	c.fleet, c.forget, c.link.dataDir, c.member = c.link, c.link.forget, c.root(), c.link.name
	return nil
}

// joinFleet writes to the audit log what the server begins with, and joins the fleet, whose
// gateways are shown page.
func (c *serveCmd) joinFleet(ctx context.Context, mgr *session.Manager, page http.Handler, stderr io.Writer) error {
	if err := c.auditTakeover(ctx, mgr.List()); err != nil {
		return err
	}
	if c.link != nil && c.FleetRecordings {
		all, err := c.sessions(session.Options{}, io.Discard)
		if err != nil {
			return err
		}
		c.link.logs = session.Options{Limits: all.Limits, Terminal: all.Terminal, Mask: all.Mask}
	}
	if err := c.link.join(ctx, mgr, page, int(c.MaxSessions), c.options(stderr)); err != nil || c.link == nil {
		return err
	}
	c.link.audited = shipAudit(ctx, c.link.member, c.log, c.link.log)
	return nil
}

// A fleetLink joins a server to a fleet. A nil one is in none.
type fleetLink struct {
	flags  *fleetFlags
	name   string
	labels map[string]string
	setup  *fleet.Setup      // of the NATS server that this server runs, nil for none
	nats   *fleet.NATSServer // nil for none
	log    *slog.Logger
	remote *mcpserver.Remote // nil in a gateway, as page is
	page   *nodePage
	roster roster
	member *fleet.Member
	closed sync.Once

	dataDir  string
	logs     session.Options                 // of sessions that are made of recordings
	recorded *recordings                     // nil without --fleet-recordings
	shipper  atomic.Pointer[archive.Shipper] // nil without it, and in a gateway
	audited  func()                          // ends the shipping of the audit log
}

// join joins the fleet, with room for so many sessions. It is called once, before any
// call is made.
func (l *fleetLink) join(ctx context.Context, mgr *session.Manager, page http.Handler, capacity int, o mcpserver.Options) (err error) {
	if l == nil {
		return nil
	}
	l.log = o.Logger
	if l.setup != nil {
		if l.nats, err = l.setup.Serve(ctx, o.Logger); err != nil {
			return err
		}
	}
	opt := fleet.Options{URL: l.flags.Fleet, Creds: l.flags.FleetCreds, Name: l.name, Logger: o.Logger, Patient: true}
	if l.Runs() {
		if l.remote, err = mcpserver.NewRemote(ctx, mgr, o, l.name); err != nil {
			l.nats.Close()
			return err
		}
		l.page = newNodePage(page, o.Logger)
		opt.Handle, opt.Stream = l.remote.Handle, l.page.serve
		opt.Drain = func(on bool) { mgr.Refuse(l.drained(on)) }
		opt.State = func() fleet.State { return l.state(mgr, capacity) }
	}
	l.member, err = fleet.Join(ctx, opt)
	if err != nil {
		l.closeRemote()
		l.nats.Close()
		return err
	}
	if l.flags.FleetRecordings {
		l.record(ctx, mgr, o)
	}
	return nil
}

// record ships the recordings of the sessions here, and reads those of others.
func (l *fleetLink) record(ctx context.Context, mgr *session.Manager, o mcpserver.Options) {
	l.recorded = newRecorded(l, o, l.logs)
	if !l.Runs() {
		go l.openRecordings(ctx, o.Logger)
		return
	}
	shipper := archive.NewShipper(l.member, filepath.Join(l.dataDir, "unshipped"), o.Logger)
	l.shipper.Store(shipper)
	go func() {
		var seen uint64
		for {
			all, now, err := mgr.Sessions(ctx, seen)
			if err != nil {
				return // the server ends
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

// openRecordings sees to it that there is a stream for recordings.
func (l *fleetLink) openRecordings(ctx context.Context, log *slog.Logger) {
	for told := ""; ; {
		err := l.member.OpenRecordings()
		if err == nil {
			return
		}
		if why := err.Error(); why != told {
			log.Warn("fleet: recordings", "err", err)
			told = why
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(reopenAfter):
		}
	}
}

// forget is told that a log here is about to be removed.
func (l *fleetLink) forget(dir string, deleted bool) error {
	shipper := l.shipper.Load()
	if shipper == nil {
		return nil
	}
	return shipper.Forget(dir, deleted)
}

// invitation says how others join the fleet whose NATS server runs here, "" for none.
func (l *fleetLink) invitation() string {
	if l == nil || l.setup == nil {
		return ""
	}
	url, err := l.setup.URL(false)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("serving the fleet at %s; to add a node: glasstty fleet init --node NAME %s\n", url, l.setup.Dir)
}

// drained returns why a draining node starts nothing, nil for one that does not drain.
func (l *fleetLink) drained(on bool) error {
	if !on {
		return nil
	}
	return fmt.Errorf("node %s is %w and takes no new sessions; start the program on another host (glasstty fleet lists them), "+
		"or have the node take sessions again: glasstty fleet resume %[1]s", l.name, fleet.ErrDraining)
}

// state returns how this node is.
func (l *fleetLink) state(mgr *session.Manager, capacity int) fleet.State {
	running := 0
	for _, i := range mgr.List() {
		if i.Status == session.StatusRunning {
			running++
		}
	}
	return fleet.State{Labels: l.labels, Version: version(), Sessions: running, Capacity: capacity, Load: machineLoad()}
}

// close leaves the fleet. With stay the sessions go on, and the next server comes back
// with them.
func (l *fleetLink) close(stay bool) {
	if l == nil {
		return
	}
	l.closed.Do(func() {
		if shipper := l.shipper.Load(); shipper != nil {
			shipper.Close()
		}
		if l.audited != nil {
			l.audited()
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

// closeRemote ends the calls of others.
func (l *fleetLink) closeRemote() {
	if l.remote != nil {
		l.remote.Close()
		l.page.close()
	}
}

// Name implements mcpserver.Fleet.
func (l *fleetLink) Name() string { return l.name }

// node returns this server's name in its fleet, "" for none.
func (l *fleetLink) node() string {
	if l == nil {
		return ""
	}
	return l.name
}

// Runs implements mcpserver.Fleet.
func (l *fleetLink) Runs() bool { return !l.flags.Gateway }

// serves reports whether a token that is limited to hosts is taken here: by a gateway, and
// by a node that is one of them.
func (l *fleetLink) serves(hosts string) bool {
	return l != nil && (!l.Runs() || fleet.Fits(hosts, fleet.State{Name: l.name, Labels: l.labels}))
}

// limited returns ctx with the hosts that the client's token is limited to.
func limited(ctx context.Context) context.Context {
	return fleet.WithHosts(ctx, httpserve.PrincipalOf(ctx).Hosts)
}

// Place implements mcpserver.Fleet.
func (l *fleetLink) Place() string { return l.flags.Place }

// Allowed implements mcpserver.Fleet.
func (l *fleetLink) Allowed(ctx context.Context, host string) bool {
	return l.member.Allowed(limited(ctx), host)
}

// Pick implements mcpserver.Fleet.
func (l *fleetLink) Pick(ctx context.Context, host string) (string, error) {
	return l.member.Pick(limited(ctx), host)
}

// NoHost implements mcpserver.Fleet.
func (l *fleetLink) NoHost(ctx context.Context, host string) error {
	return l.member.NoHost(limited(ctx), host)
}

// Call implements mcpserver.Fleet.
func (l *fleetLink) Call(ctx context.Context, host, identity string, body []byte, progress func([]byte)) ([]byte, error) {
	out, err := l.member.Call(limited(ctx), host, identity, body, progress)
	if err != nil {
		return l.recorded.handle(ctx, host, body, progress, err)
	}
	return out, nil
}

// Hosts implements mcpserver.Fleet. This server is there even while it has no connection
// to the others.
func (l *fleetLink) Hosts(host string) ([]mcpserver.Host, error) {
	nodes, err := l.member.Nodes(host)
	if err != nil {
		return nil, err
	}
	var out []mcpserver.Host
	for _, n := range nodes {
		if !n.Lost && (n.Name != l.name || !l.Runs()) {
			out = append(out, mcpserver.Host{Name: n.Name, Away: n.Away})
		}
	}
	if l.Runs() && fleet.Fits(host, fleet.State{Name: l.name, Labels: l.labels}) {
		out = slices.Insert(out, 0, mcpserver.Host{Name: l.name})
	}
	return out, nil
}
