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

// auditFlags are the settings of the audit log.
type auditFlags struct {
	AuditLog  string    `placeholder:"PATH" env:"GLASSTTY_AUDIT_LOG" help:"Log who did what, and the result, to this file: JSON lines, each with the hash of the line before; see glasstty audit verify."`
	Audit     auditMode `default:"on" enum:"on,required,off" placeholder:"MODE" env:"GLASSTTY_AUDIT" help:"What to do when the audit log cannot be written: on logs an error and continues, required refuses every call, off writes no audit log (default ${default})."`
	AuditKey  string    `placeholder:"PATH" env:"GLASSTTY_AUDIT_KEY" help:"File with a secret key of at least 16 bytes for the hashes: nobody who lacks the key can forge a line. It is read once, at the start."`
	LogInputs bool      `env:"GLASSTTY_LOG_INPUTS" help:"Include the typed text in the audit log, not only its hash (default false). Text typed at a password prompt is never included."`

	log    *audit.Log // nil before openAudit, and when there is no audit log
	member string     // this server's name in its fleet, or ""
}

// An auditMode determines what happens when the audit log cannot be written.
type auditMode string

const (
	auditOn       auditMode = "on"       // log an error and continue
	auditRequired auditMode = "required" // refuse every call
	auditOff      auditMode = "off"      // write no audit log, even with --audit-log
)

// minKey and maxKey are the limits on the length of an audit log's key, in bytes.
const (
	minKey = 16
	maxKey = 4096
)

// readKey reads the key of an audit log, without blanks around it. It returns nil if path is "".
func readKey(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--audit-key: %w", err)
	}
	key = bytes.TrimSpace(key)
	if len(key) < minKey || len(key) > maxKey {
		return nil, fmt.Errorf("--audit-key: %s holds %d bytes; want %d to %d (openssl rand -hex 32 prints a key)", path, len(key), minKey, maxKey)
	}
	return key, nil
}

// check returns an error if a setting needs another setting that is missing.
func (f *auditFlags) check() error {
	switch {
	case f.AuditLog == "" && f.Audit == auditRequired:
		return errors.New("--audit=required: name the file too, with --audit-log PATH")
	case f.AuditLog == "" && f.AuditKey != "":
		return errors.New("--audit-key: name the file too, with --audit-log PATH")
	}
	return nil
}

// openAudit opens the audit log and writes its first record, server.start. If the flags ask for no audit
// log, or if the log is open, it only checks the flags. settings are those that determine which programs
// and inputs are allowed; the record contains them. On SIGHUP, the log is reopened.
func (f *auditFlags) openAudit(ctx context.Context, command string, settings map[string]any, log *slog.Logger) error {
	if err := f.check(); err != nil {
		return usageError(err)
	}
	if f.AuditLog == "" || f.Audit == auditOff || f.log != nil {
		return nil
	}
	key, err := readKey(f.AuditKey)
	if err != nil {
		return usageError(err)
	}
	f.log, err = audit.Open(audit.Options{Path: f.AuditLog, Key: key, Inputs: f.LogInputs, Required: f.Audit == auditRequired, Node: f.member, Logger: log})
	if err != nil {
		return usageError(fmt.Errorf("--audit-log: %w", err))
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

// closeAudit writes the last record, server.stop, and closes the audit log, if there is one. why is the
// error that ended the server, or nil. closeAudit prints the number and hash of the last line to w. With
// these, an operator can later check that no lines were cut off.
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

// auditTakeover logs the running sessions in all, which this server has taken over from another server.
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

// uidName returns a name for a user of this machine.
func uidName(uid int) string { return fmt.Sprintf("uid %d", uid) }

// stdioActor returns the client on standard input, the parent process, as an actor.
func stdioActor() audit.Actor {
	return audit.Actor{Via: "stdio", Who: uidName(os.Getuid()), From: fmt.Sprintf("pid %d", os.Getppid())}
}

// auditCmd holds the subcommands of glasstty audit.
type auditCmd struct {
	Verify auditVerifyCmd `cmd:"" help:"Check that no line of an audit log was changed, inserted, moved or removed."`
}

// auditVerifyCmd checks an audit log.
type auditVerifyCmd struct {
	Files []string `arg:"" name:"file" help:"The log's files: rotated ones too, gzip or not, in any order."`
	Key   string   `placeholder:"PATH" env:"GLASSTTY_AUDIT_KEY" help:"The file with the key, for a log that was written with --audit-key."`
}

// exitTampered is the exit status of audit verify if a line was changed, inserted, moved or removed.
const exitTampered = 5

func (c *auditVerifyCmd) run(_ context.Context, std stdio) error {
	key, err := readKey(c.Key)
	if err != nil {
		return usageError(err)
	}
	r, err := audit.Verify(c.Files, key)
	if errors.Is(err, audit.ErrChain) {
		return statusError{error: fmt.Errorf("the log is not as it was written: %w", err), status: exitTampered}
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
