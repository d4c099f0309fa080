package main

import (
	"context"
	"errors"
	"io"

	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// A backend is what a server serves: the sessions and their logs.
type backend struct {
	mgr   *session.Manager
	srv   *mcpserver.Server
	data  *data
	leave bool // the programs keep running for the next server when this one ends
}

// backend returns the server's backend, and opens the audit log. openData opens the data directory. opt
// holds the settings of sessions that no flag determines. The caller must end the sessions, then close
// the backend's data.
func (f *serverFlags) backend(ctx context.Context, command string, opt session.Options, openData func() (*data, error), stderr io.Writer) (*backend, error) {
	opt, err := f.sessions(opt, stderr)
	if err != nil {
		return nil, err // before a keeper is started or another server is replaced
	}
	log := f.logger(stderr)
	if err := f.openAudit(ctx, command, f.auditedSettings(), log); err != nil {
		return nil, err
	}
	b := &backend{}
	if b.data, err = openData(); err != nil {
		return nil, err
	}
	opt.Audit, opt.Log = f.log, logLimits(f.LogSize)
	if b.data.keeper != nil {
		opt.Children, opt.Outlive = b.data.keeper, true
	} else {
		opt.Data = b.data.own
	}
	b.mgr = session.NewManager(opt)
	if b.mgr.HidesSecrets() {
		f.log.Hide(b.mgr.Hide) // hides the same secrets in the audit log
	}
	if err := b.data.addEarlier(ctx, b.mgr); err != nil {
		return nil, errors.Join(err, b.abort(), b.data.close())
	}
	if b.srv, err = mcpserver.New(b.mgr, f.options(stderr)); err != nil {
		return nil, usageError(errors.Join(err, b.abort(), b.data.close()))
	}
	return b, nil
}

// open returns the backend with the sessions of the previous server. If the data directory cannot be used
// with a keeper, the programs end with the server, after a warning. With --data-dir or --replace, it is an
// error instead. With --data-dir none, there is no keeper either.
func (c *serveCmd) open(ctx context.Context, stderr io.Writer) (*backend, error) {
	log := c.logger(stderr)
	b, err := c.backend(ctx, "serve", session.Options{PersonHint: personHint(c.socketPath, c.link.node())}, func() (*data, error) {
		if c.root() == "" {
			return c.dataFlags.open(log)
		}
		d, err := c.openKept(ctx, c.RedactRecordings, c.Replace, log)
		if err != nil && c.DataDir == "" && !c.Replace {
			log.Warn("the programs of this server end with it", "err", err)
			return c.dataFlags.open(log)
		}
		return d, err
	}, stderr)
	if err == nil {
		b.leave = c.Leave && b.data.keeper != nil
	}
	return b, err
}

// replaced returns a channel that is closed when another server takes over the sessions. Without a
// keeper, the channel is nil.
func (b *backend) replaced() <-chan struct{} {
	if b.data.keeper == nil {
		return nil
	}
	return b.data.keeper.Replaced()
}

// programsStay reports whether the programs keep running for the next server.
func (b *backend) programsStay() bool {
	select {
	case <-b.replaced():
		return true
	default:
		return b.leave
	}
}

// end ends the sessions, within closeLimit.
func (b *backend) end() error { return closeWithin(b.mgr, closeLimit) }

// abort closes the sessions of a server that could not start, or that leaves its programs running. With a
// keeper, the programs keep running for the next server. Without one, they are ended.
func (b *backend) abort() error {
	if b.data.keeper == nil {
		return b.end()
	}
	return b.mgr.Leave()
}
