package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/audit"
)

// The stream of audit records and its limits.
const (
	auditStreamName = "glasstty-audit"
	auditBytes      = 512 << 20           // of the whole stream
	auditAge        = 90 * 24 * time.Hour // after which a record is removed
)

// subjectHash is the number of hexadecimal digits of a line's hash in the line's subject.
const subjectHash = 16

// auditSubject returns the subject of a line of a member's audit log; number and hash may
// be wildcards.
func auditSubject(node, number, hash string) string { return join("from", node, "audit", number, hash) }

// lineSubject returns the subject of a line.
func lineSubject(l audit.Line) string {
	return auditSubject(l.Node, strconv.FormatInt(l.Seq, 10), l.Hash[:min(len(l.Hash), subjectHash)])
}

// auditConfig is the configuration of the stream. A full stream accepts no more records, so new
// records cannot push out old ones.
func auditConfig() nats.StreamConfig {
	return nats.StreamConfig{
		Name: auditStreamName, Subjects: []string{auditSubject("*", "*", "*")},
		MaxBytes: auditBytes, MaxAge: auditAge, Discard: nats.DiscardNew,
	}
}

// An AuditStream gives access to the stream of audit records.
type AuditStream struct{ m *Member }

// Audit returns the stream of audit records.
func (m *Member) Audit() AuditStream { return AuditStream{m} }

// Has reports whether a line of this member's audit log is in the stream.
func (a AuditStream) Has(l audit.Line) (bool, error) {
	l.Node = a.m.opt.Name
	return a.m.js.has(auditStreamName, lineSubject(l))
}

// MaxLine returns the maximum size of a line that can be shipped, in bytes.
func (a AuditStream) MaxLine() int { return a.m.maxData() }

// Ship stores lines of this member's audit log in the stream. It skips lines that the stream
// has already. After an error, some of the lines may have been stored.
func (a AuditStream) Ship(ctx context.Context, lines []audit.Line) error {
	if !a.m.conn.IsConnected() { // nats.go would send the lines later
		return ErrNoConnection
	}
	var sent []nats.PubAckFuture
	for _, l := range lines {
		l.Node = a.m.opt.Name
		one, err := a.m.js.PublishMsgAsync(&nats.Msg{Subject: lineSubject(l), Data: l.Text}, nats.ExpectStream(auditStreamName), nats.ExpectLastSequencePerSubject(0))
		if err != nil {
			return fmt.Errorf("the stream %s: %w", auditStreamName, err)
		}
		sent = append(sent, one)
	}
	for _, one := range sent {
		select {
		case <-one.Ok():
		case err := <-one.Err():
			if _, taken := wrongLastNumber(err); !taken {
				return fmt.Errorf("the stream %s stores nothing: %w", auditStreamName, a.m.js.fault(auditStreamName, err))
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Read calls each for the audit records of one member, or of all members if node is
// "*", in the order in which the stream received them. It skips forged records and returns their
// number: a forged record names another member, contains raw control characters or has a key
// twice. Read also skips messages that are not audit records.
func (a AuditStream) Read(ctx context.Context, node string, each func(audit.Line) error) (forged int, err error) {
	err = a.m.js.read(ctx, auditStreamName, auditSubject(node, "*", "*"), func(msg *nats.Msg, _ *nats.MsgMetadata) error {
		l := audit.Line{Node: token(msg.Subject, nodeIndex), Text: msg.Data}
		var of struct {
			Seq  int64
			Hash string
			Node string
		}
		if json.Unmarshal(msg.Data, &of) != nil {
			return nil
		}
		if l.Seq, l.Hash = of.Seq, of.Hash; lineSubject(l) != msg.Subject {
			return nil // not an audit line, for example an acknowledgement that NATS sent to a forged reply subject
		}
		raw := bytes.ContainsFunc(msg.Data, func(r rune) bool { return r < ' ' }) // our JSON escapes control characters
		if of.Node != l.Node || raw || !distinctKeys(msg.Data) {
			forged++
			return nil
		}
		return each(l)
	})
	return forged, err
}

// distinctKeys reports whether all keys of a JSON object differ, ignoring case. Parsers disagree
// about an object that has a key twice.
func distinctKeys(object []byte) bool {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil { // the brace
		return false
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return false
		}
		name, _ := key.(string)
		name = strings.ToLower(name)
		if seen[name] || d.Decode(new(json.RawMessage)) != nil {
			return false
		}
		seen[name] = true
	}
	return true
}
