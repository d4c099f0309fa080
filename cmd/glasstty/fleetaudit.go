package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/fleet"
)

const (
	// auditRetry is the time between two attempts to ship lines.
	auditRetry = 2 * time.Second
	// auditEnd is the time limit for shipping the last lines when the server ends.
	auditEnd = 2 * time.Second
)

// An auditShipper copies the lines of this server's audit log to the fleet's audit stream. It has no
// queue: it reads lines from the log file when all lines before them are in the stream.
type auditShipper struct {
	member   *fleet.Member
	log      *audit.Log
	lines    *audit.Follower // reads the lines of log
	opened   bool            // seek has moved lines to the first line to ship
	next     []audit.Line    // lines that were read and are not yet in the stream
	last     audit.Line      // last line shipped; last.Seq is 0 if this server has shipped none
	lastFile string          // path of the file with the number and hash of last; "" for none

	reconnects uint64 // member.Reconnects() when seek was last called
}

// shipAudit ships the lines of auditLog until end is called. If auditLog is nil, it does nothing. It saves
// the number and hash of the last shipped line in lastFile. If lastFile is "", the next server sends all
// lines of the log again, and the stream adds only those that it lacks.
func shipAudit(ctx context.Context, member *fleet.Member, auditLog *audit.Log, lastFile string, log *slog.Logger) (end func()) {
	if auditLog == nil {
		return func() {}
	}
	s := &auditShipper{member: member, log: auditLog, lines: auditLog.Follow(), lastFile: lastFile}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.run(ctx, log)
	}()
	return func() { stop(); <-done }
}

// run ships lines as they are written until ctx ends, then ships the rest, for at most auditEnd.
func (s *auditShipper) run(ctx context.Context, log *slog.Logger) {
	outage := fleet.NewOutage("audit records", log)
	for ctx.Err() == nil {
		err := s.shipAll(ctx)
		if ctx.Err() == nil {
			outage.Record(err)
		}
		written, retry := s.log.Written(), (<-chan time.Time)(nil)
		if err != nil {
			written, retry = nil, time.After(auditRetry)
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
		if err := s.shipAll(last); err != nil {
			log.Debug("fleet: the last audit records were not shipped", "err", err)
		}
	}
	if err := s.lines.Close(); err != nil {
		log.Debug("fleet: audit records", "err", err)
	}
}

// shipAll ships all lines that are in the file now.
func (s *auditShipper) shipAll(ctx context.Context) (err error) {
	for {
		if now := s.member.Reconnects(); !s.opened || now != s.reconnects { // the NATS server may have lost lines
			if err := s.seek(ctx); err != nil {
				return err
			}
			s.opened, s.reconnects, s.next = true, now, nil
		}
		if len(s.next) == 0 {
			if err := s.read(ctx); err != nil || len(s.next) == 0 {
				return err
			}
		}
		if err := s.member.Audit().Ship(ctx, s.next); err != nil {
			return err
		}
		if s.member.Reconnects() != s.reconnects {
			continue // earlier lines may be missing in the stream
		}
		s.last = s.next[len(s.next)-1]
		s.next = nil
		if s.lastFile == "" {
			continue
		}
		err := os.MkdirAll(filepath.Dir(s.lastFile), 0o700)
		if err == nil {
			err = os.WriteFile(s.lastFile, fmt.Appendf(nil, "%d %s\n", s.last.Seq, s.last.Hash), 0o600)
		}
		if err != nil {
			return err
		}
	}
}

// seek moves s.lines to the line after the last shipped line. If no line was shipped, or if the stream no
// longer has the last shipped line, seek moves s.lines to the first line of the log.
func (s *auditShipper) seek(ctx context.Context) error {
	if err := s.member.AwaitRecords(ctx); err != nil { // when it returns nil, a gateway has tried to open the stream
		return err
	}
	last := s.last
	if last.Seq == 0 && s.lastFile != "" {
		text, err := os.ReadFile(s.lastFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if n, _ := fmt.Sscan(string(text), &last.Seq, &last.Hash); n != 2 {
			last = audit.Line{}
		}
	}
	if last.Seq > 0 {
		kept, err := s.member.Audit().Has(last)
		if err != nil {
			return err
		}
		if !kept {
			last.Hash = "" // no line has this hash, so Skip finds none
		}
	}
	return s.lines.Skip(last)
}

// read reads lines into s.next. It leaves out lines that are too long for the stream, and records that in the log.
func (s *auditShipper) read(ctx context.Context) error {
	for len(s.next) == 0 {
		lines, err := s.lines.Read(ctx)
		if err != nil || len(lines) == 0 {
			return err
		}
		for _, l := range lines {
			switch limit := s.member.Audit().MaxLine(); {
			case len(l.Text) > limit:
				s.log.RecordUnshipped(ctx, fmt.Sprintf("line %d has %d bytes, and NATS takes %d", l.Seq, len(l.Text), limit))
			default:
				s.next = append(s.next, l)
			}
		}
	}
	return nil
}

// fleetAuditCmd prints audit records.
type fleetAuditCmd struct {
	natsFlags
	Member memberName `arg:"" optional:"" name:"member" help:"The node or gateway that wrote them (default: all)."`
}

func (c *fleetAuditCmd) run(ctx context.Context, std stdio) error {
	m, err := c.join(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	terminal, printed := term.IsTerminal(int(std.out.Fd())), 0
	forged, err := m.Audit().Read(ctx, cmp.Or(string(c.Member), "*"), func(l audit.Line) error {
		text := string(l.Text)
		if terminal {
			text = escapeInvisible(text)
		}
		printed++
		_, err := fmt.Fprintln(std.out, text)
		return err
	})
	if forged > 0 {
		fmt.Fprintf(std.err, "glasstty: left out records that no member writes, and that may be forged: %d\n", forged)
	}
	if err == nil && printed+forged == 0 && c.Member != "" {
		err = fmt.Errorf("the audit stream has no records of %q: servers with --audit-log ship theirs", c.Member)
	}
	return err
}
