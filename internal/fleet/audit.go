package fleet

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// An AuditLine is a line of a member's audit log. Its number and hash tell it from all
// others of that member.
type AuditLine struct {
	Node   string // the member's name
	Number int64
	Hash   string // in hexadecimal
	Text   []byte
}

// Bounds of the audit records.
const (
	audits     = "glasstty-audit" // the stream
	auditBytes = 512 << 20
	auditAge   = 90 * 24 * time.Hour
)

// The positions in glasstty.from.NODE.audit.NUMBER.HASH, the subject of a line.
const (
	numberPlace = 4
	hashPlace   = 5
)

// subjectHash is how much of the hash is in the subject.
const subjectHash = 16

// auditSubject returns where the lines of a member's audit log are; number and hash may be
// wildcards.
func auditSubject(node, number, hash string) string { return join("from", node, "audit", number, hash) }

// subject returns where a line is.
func (l AuditLine) subject() string {
	return auditSubject(l.Node, strconv.FormatInt(l.Number, 10), l.Hash[:min(len(l.Hash), subjectHash)])
}

// OpenAudit checks that the NATS server can keep audit records, and returns for how long it
// does, 0 for ever. A server makes the stream where there is none, which a node alone has no
// right to. A stream that is full takes no more: nobody can push out what others have done.
func (m *Member) OpenAudit() (time.Duration, error) {
	info, err := m.openStream("audit records", "--audit-log", nats.StreamConfig{
		Name: audits, Subjects: []string{auditSubject("*", "*", "*")},
		MaxBytes: auditBytes, MaxAge: auditAge, Discard: nats.DiscardNew,
	})
	if err != nil {
		return 0, err
	}
	return info.Config.MaxAge, nil
}

// Audited returns which lines of this member's audit log are in the stream, and the largest
// number of one.
func (m *Member) Audited() (has func(AuditLine) bool, last int64, err error) {
	all := map[string]bool{}
	err = m.subjects(audits, auditSubject(m.opt.Name, "*", "*"), func(subject string) {
		if n, err := strconv.ParseInt(token(subject, numberPlace), 10, 64); err == nil {
			all[subject] = true
			last = max(last, n)
		}
	})
	return func(l AuditLine) bool {
		l.Node = m.opt.Name
		return all[l.subject()]
	}, last, err
}

// MaxAuditLine returns how many bytes a line may have to be shipped.
func (m *Member) MaxAuditLine() int { return m.room() }

// ShipAudit has the stream keep lines of this member's audit log. One that is in it already
// is not kept twice. After an error some may be kept.
func (m *Member) ShipAudit(ctx context.Context, lines []AuditLine) error {
	if !m.conn.IsConnected() { // they would be sent later
		return nats.ErrDisconnected
	}
	var sent []nats.PubAckFuture
	for _, l := range lines {
		l.Node = m.opt.Name
		one, err := m.js.PublishMsgAsync(&nats.Msg{Subject: l.subject(), Data: l.Text}, nats.ExpectStream(audits), nats.ExpectLastSequencePerSubject(0))
		if err != nil {
			return fmt.Errorf("the stream %s: %w", audits, err)
		}
		sent = append(sent, one)
	}
	for _, one := range sent {
		select {
		case <-one.Ok():
		case err := <-one.Err():
			if _, taken := placeTaken(err); !taken {
				return fmt.Errorf("the stream %s takes nothing: %w", audits, err)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// ReadAudit calls each for the audit records in the stream, those of one member or of all
// where node is *, in the order in which they came.
func (m *Member) ReadAudit(ctx context.Context, node string, each func(AuditLine) error) error {
	return m.readStream(ctx, audits, auditSubject(node, "*", "*"), func(msg *nats.Msg, _ *nats.MsgMetadata) error {
		number, err := strconv.ParseInt(token(msg.Subject, numberPlace), 10, 64)
		if err != nil {
			return nil // it is not one of ours
		}
		return each(AuditLine{token(msg.Subject, nodePlace), number, token(msg.Subject, hashPlace), msg.Data})
	})
}
