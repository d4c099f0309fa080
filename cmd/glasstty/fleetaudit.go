package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/fleet"
)

const (
	// auditRetry is the time between two tries to ship lines that were not kept.
	auditRetry = 2 * time.Second
	// auditEnd is how long a server that ends goes on shipping.
	auditEnd = 2 * time.Second
)

// An auditShipper ships the lines of this server's audit log to the fleet's stream. The file
// is the queue: lines are read from it when those before them are kept, and the stream says
// where it ends.
type auditShipper struct {
	member *fleet.Member
	kept   *audit.Log
	lines  *audit.Follower
	opened bool              // lines is past what the stream has
	next   []fleet.AuditLine // lines that were read and are not yet in the stream
	maxAge time.Duration     // of lines in the stream, 0 for no bound
}

// shipAudit ships lines until the function that it returns is called.
func shipAudit(ctx context.Context, member *fleet.Member, kept *audit.Log, log *slog.Logger) (end func()) {
	if kept == nil {
		return func() {}
	}
	s := &auditShipper{member: member, kept: kept, lines: kept.Follow()}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.run(ctx, log)
	}()
	return func() { stop(); <-done }
}

// run ships lines as they are written until ctx ends, and then the rest.
func (s *auditShipper) run(ctx context.Context, log *slog.Logger) {
	failing := false
	for ctx.Err() == nil {
		err := s.pass(ctx)
		var retry <-chan time.Time // nil: there is nothing to try again
		switch {
		case err != nil:
			retry = time.After(auditRetry)
			if !failing && ctx.Err() == nil {
				log.Warn("fleet: audit records are not shipped; they are in the file, and shipped when this is mended", "file", s.kept.Path(), "err", err)
			}
		case failing:
			log.Info("fleet: audit records are shipped again", "file", s.kept.Path())
		}
		failing = err != nil
		written := s.kept.Written()
		if failing {
			written = nil
		}
		select {
		case <-ctx.Done():
		case <-written:
		case <-retry:
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditEnd)
	defer cancel()
	if s.opened {
		if err := s.pass(last); err != nil {
			log.Debug("fleet: the last audit records were not shipped", "err", err)
		}
	}
	if err := s.lines.Close(); err != nil {
		log.Debug("fleet: audit records", "err", err)
	}
}

// pass ships all lines that are in the file now.
func (s *auditShipper) pass(ctx context.Context) (err error) {
	if !s.opened {
		if err := s.begin(); err != nil {
			return err
		}
		s.opened = true
	}
	for {
		if len(s.next) == 0 {
			if err := s.read(ctx); err != nil || len(s.next) == 0 {
				return err
			}
		}
		if err := s.member.ShipAudit(ctx, s.next); err != nil {
			return err
		}
		s.next = nil
	}
}

// begin goes to the first line that is not in the stream.
func (s *auditShipper) begin() (err error) {
	if s.maxAge, err = s.member.OpenAudit(); err != nil {
		return err
	}
	has, last, err := s.member.Audited()
	if err != nil {
		return err
	}
	return s.lines.Skip(last, func(l audit.Line) bool { return has(fleet.AuditLine{Number: l.Seq, Hash: l.Hash}) })
}

// read reads the next lines that the stream can keep.
func (s *auditShipper) read(ctx context.Context) error {
	for len(s.next) == 0 {
		lines, err := s.lines.Read(ctx)
		if err != nil || len(lines) == 0 {
			return err
		}
		for _, l := range lines {
			switch limit := s.member.MaxAuditLine(); {
			case s.maxAge > 0 && time.Since(l.Time) > s.maxAge: // the stream would have dropped it by now
			case len(l.Text) > limit:
				s.kept.Unshipped(ctx, fmt.Sprintf("line %d has %d bytes, and NATS takes %d", l.Seq, len(l.Text), limit))
			default:
				s.next = append(s.next, fleet.AuditLine{Number: l.Seq, Hash: l.Hash, Text: l.Text})
			}
		}
	}
	return nil
}

// fleetAuditCmd prints audit records.
type fleetAuditCmd struct {
	natsFlags
	Member string `arg:"" optional:"" name:"member" help:"The node or gateway that wrote them (default: all)."`
}

// Help returns the command's longer description.
func (*fleetAuditCmd) Help() string {
	return "Servers with --audit-log ship their audit records to the fleet's NATS server. The records are printed as they were " +
		"written, in the order in which they arrived. glasstty audit verify checks those of one member, from a file."
}

func (c *fleetAuditCmd) run(ctx context.Context, std stdio) error {
	if c.Member == "" {
		c.Member = "*"
	} else if err := fleet.CheckName(c.Member); err != nil {
		return usageError{err}
	}
	m, err := c.join(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	return m.ReadAudit(ctx, c.Member, func(l fleet.AuditLine) error {
		_, err := fmt.Fprintf(std.out, "%s\n", l.Text)
		return err
	})
}
