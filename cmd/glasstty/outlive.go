package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// An ending is how a server's sessions end.
type ending struct {
	mgr   *session.Manager
	dir   *dataDir // nil: the programs are the server's own
	data  *data    // nil with dir
	leave bool     // the programs keep running
}

// open opens the data directory, and returns a server with the sessions of the previous one.
// When the default directory cannot be used, the programs belong to the server itself.
func (c *serveCmd) open(ctx context.Context, stderr io.Writer) (*session.Manager, *mcpserver.Server, *ending, error) {
	log := c.LogLevel.logger(stderr)
	root := c.root()
	if root == "" {
		return c.openOwn(ctx, stderr)
	}
	opt, err := c.sessions(session.Options{PersonHint: personHint(c.at, c.link.node()), Outlive: true}, stderr)
	if err != nil {
		return nil, nil, nil, err // before a keeper is started or a server replaced
	}
	if err := c.openAudit(ctx, "serve", c.guarding(), log); err != nil {
		return nil, nil, nil, err
	}
	opt.Audit = c.log
	dir, err := openDataDir(ctx, root, c.LogSize, c.RedactRecordings, c.Replace)
	if err != nil && c.DataDir == "" && !c.Replace {
		log.Warn("the programs of this server end with it", "err", err)
		return c.openOwn(ctx, stderr)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	opt.Children, opt.Log = dir.owner, logLimits(c.LogSize)
	mgr := session.NewManager(opt)
	c.hideIn(mgr)
	end := &ending{mgr: mgr, dir: dir, leave: c.Leave}
	if err := dir.takeOver(ctx, mgr, &c.dataFlags, log); err != nil {
		return nil, nil, nil, errors.Join(err, end.abort(), end.close())
	}
	srv, err := mcpserver.New(mgr, c.options(stderr))
	if err != nil {
		return nil, nil, nil, usageError{errors.Join(err, end.abort(), end.close())}
	}
	return mgr, srv, end, nil
}

// openOwn returns a server without a keeper: its programs end with it.
func (c *serveCmd) openOwn(ctx context.Context, stderr io.Writer) (*session.Manager, *mcpserver.Server, *ending, error) {
	mgr, srv, data, err := c.server(ctx, "serve", stderr)
	return mgr, srv, &ending{mgr: mgr, data: data}, err
}

// replaced is closed when another server takes over.
func (e *ending) replaced() <-chan struct{} {
	if e.dir == nil {
		return nil
	}
	return e.dir.owner.Replaced()
}

// stay reports whether the programs keep running for the next server.
func (e *ending) stay() bool {
	select {
	case <-e.replaced():
		return true
	default:
		return e.leave
	}
}

// sessions ends the sessions.
func (e *ending) sessions() error { return closeWithin(e.mgr, closeLimit) }

// abort ends a server that could not begin to serve, or that leaves its programs running.
func (e *ending) abort() error {
	if e.dir == nil || !e.holds() {
		return closeWithin(e.mgr, closeLimit)
	}
	e.mgr.Leave(e.dir.owner.Leave)
	return nil
}

// holds reports whether the keeper has sessions for the next server; otherwise it can end.
func (e *ending) holds() bool {
	return slices.ContainsFunc(e.mgr.List(), func(i session.Info) bool { return i.Status != session.StatusLost })
}

// close closes the data directories.
func (e *ending) close() error { return errors.Join(e.dir.close(), e.data.close()) }
