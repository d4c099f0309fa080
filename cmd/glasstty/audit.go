package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/session"
)

// auditFlags say what is written of what is done.
type auditFlags struct {
	AuditLog  string    `placeholder:"PATH" env:"GLASSTTY_AUDIT_LOG" help:"Write who did what, and what came of it, to this file: JSON lines, each with the hash of the one before; see glasstty audit verify."`
	Audit     auditMode `default:"on" enum:"on,required,off" placeholder:"WHEN" env:"GLASSTTY_AUDIT" help:"What happens when that file cannot be written: on complains and goes on, required stops every call (default ${default})."`
	AuditKey  string    `placeholder:"PATH" env:"GLASSTTY_AUDIT_KEY" help:"File with a secret of at least 16 bytes that makes the hashes: without it nobody can make lines that fit. It is read once, at the start."`
	LogInputs bool      `negatable:"" env:"GLASSTTY_LOG_INPUTS" help:"Write what was typed into that file, not only its hash (default false). What is typed at a password prompt is never written."`

	log *audit.Log // nil until openAudit, and without a file
}

// auditMode says what an audit log that cannot be written means.
type auditMode string

// The modes.
const (
	auditOn       auditMode = "on"
	auditRequired auditMode = "required"
	auditOff      auditMode = "off"
)

// minKey and maxKey bound an audit log's key, in bytes.
const (
	minKey = 16
	maxKey = 4096
)

// readKey reads the key of an audit log, nil when there is none.
func readKey(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--audit-key: %w", err)
	}
	key, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("--audit-key: %w", err)
	}
	key = bytes.TrimSpace(key)
	if len(key) < minKey || len(key) > maxKey {
		return nil, fmt.Errorf("--audit-key: %s holds %d bytes; a key has %d to %d, such as those of: openssl rand -hex 32", path, len(key), minKey, maxKey)
	}
	return key, nil
}

// check reports settings that do not go together.
func (f *auditFlags) check() error {
	switch {
	case f.AuditLog == "" && f.Audit == auditRequired:
		return errors.New("--audit=required: name the file too, with --audit-log PATH")
	case f.AuditLog == "" && f.AuditKey != "":
		return errors.New("--audit-key: name the file too, with --audit-log PATH")
	}
	return nil
}

// openAudit opens the audit log and writes that the server starts. What it says of
// the settings is what decides what else is written and held.
func (f *auditFlags) openAudit(ctx context.Context, command string, settings map[string]any, log *slog.Logger) error {
	if err := f.check(); err != nil {
		return usageError{err}
	}
	if f.AuditLog == "" || f.Audit == auditOff || f.log != nil {
		return nil
	}
	key, err := readKey(f.AuditKey)
	if err != nil {
		return usageError{err}
	}
	f.log, err = audit.Open(audit.Options{Path: f.AuditLog, Key: key, Inputs: f.LogInputs, Required: f.Audit == auditRequired, Logger: log})
	if err != nil {
		return usageError{fmt.Errorf("--audit-log: %w", err)}
	}
	settings["version"], settings["audit"], settings["log_inputs"] = version(), string(f.Audit), f.LogInputs
	if _, err := f.log.Write(ctx, audit.Record{Event: "server.start", Program: command, Args: settings}); err != nil {
		return errors.Join(err, f.log.Close())
	}
	onHangup(ctx, func() {
		if err := f.log.Reopen(ctx); err != nil {
			log.Error("the audit log cannot be reopened", "err", err)
		}
	})
	return nil
}

// hideIn hides in the audit log the secrets that are hidden in what sessions show.
func (f *auditFlags) hideIn(mgr *session.Manager) {
	if mgr.Hides() {
		f.log.Hide(mgr.Hide)
	}
}

// closeAudit writes that the server ends, and how, and closes the audit log. The
// end of its chain goes to w: who keeps it can tell whether lines were cut off.
func (f *auditFlags) closeAudit(ctx context.Context, w io.Writer, why error) error {
	if f.log == nil {
		return nil
	}
	r := audit.Record{Event: "server.stop", Why: "its client is gone"}
	if cause := context.Cause(ctx); cause != nil {
		r.Why = cause.Error()
	}
	if why != nil {
		r.Why = why.Error()
	}
	_, err := f.log.Write(context.WithoutCancel(ctx), r)
	seq, hash := f.log.End()
	fmt.Fprintf(w, "glasstty: the audit log %s ends with line %d, %s\n", f.log.Path(), seq, hash)
	return errors.Join(err, f.log.Close())
}

// auditTakeover writes which sessions of another server go on in this one.
func (f *auditFlags) auditTakeover(ctx context.Context, all []session.Info) error {
	for _, s := range all {
		if s.Status != session.StatusRunning {
			continue
		}
		if _, err := f.log.Write(ctx, audit.Record{Event: "session.takeover", Session: s.ID, Argv: append([]string{s.Command}, s.Args...), Dir: s.Cwd}); err != nil {
			return err
		}
	}
	return nil
}

// uidName names a user of this machine.
func uidName(uid int) string { return fmt.Sprintf("uid %d", uid) }

// stdioActor is who is on the other side of standard input.
func stdioActor() audit.Actor {
	return audit.Actor{Via: "stdio", Who: uidName(os.Getuid()), From: fmt.Sprintf("pid %d", os.Getppid())}
}

// auditCmd has what is done with audit logs.
type auditCmd struct {
	Verify auditVerifyCmd `cmd:"" help:"Check that no line of an audit log was changed, put in, moved or taken out."`
}

// auditVerifyCmd checks an audit log.
type auditVerifyCmd struct {
	Files []string `arg:"" name:"file" help:"The log's files: rotated ones too, gzip or not, in any order."`
	Key   string   `placeholder:"PATH" env:"GLASSTTY_AUDIT_KEY" help:"The file with the key, for a log that was written with --audit-key."`
}

// Help returns the command's longer description.
func (*auditVerifyCmd) Help() string {
	return "It follows the hashes from line to line and over all files, and compares the last line with FILE.head, " +
		"which the server keeps beside the log. Servers may go on writing meanwhile. The exit status is 0 when all " +
		"lines are those that were written, 5 when one is not, which is named, and 1 when a file cannot be read."
}

// exitWrong is the exit status of a log that is not what was written.
const exitWrong = 5

func (c *auditVerifyCmd) run(_ context.Context, std stdio) error {
	key, err := readKey(c.Key)
	if err != nil {
		return usageError{err}
	}
	r, err := audit.Verify(c.Files, key)
	if errors.Is(err, audit.ErrChain) {
		return statusError{fmt.Errorf("not the log that was written: %w", err), exitWrong}
	}
	if err != nil {
		return err
	}
	for _, note := range r.Notes {
		if _, err := fmt.Fprintf(std.out, "note: %s\n", note); err != nil {
			return err
		}
	}
	if r.Lines == 0 {
		_, err := fmt.Fprintln(std.out, "no lines")
		return err
	}
	_, err = fmt.Fprintf(std.out, "whole: %d lines, %d to %d, ending with %s\n", r.Lines, r.First, r.Last, r.Hash)
	return err
}
