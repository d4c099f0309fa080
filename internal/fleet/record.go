package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// A record is what the fleet's NATS server stores about a node, in a key-value bucket under the key
// NODE.SECRET (see recordSubject). From the records, a new member knows about nodes that vanished
// before it joined. The latest record of a node counts.
type record struct {
	State
	Lost bool `json:"lost,omitempty"` // set by an operator: the node will not come back
	// The operator who declared the node lost, and the gateway whose credentials the
	// operator used.
	Operator string `json:"operator,omitempty"`
	Gateway  string `json:"gateway,omitempty"`
}

// An ownRecord is the record that this node last wrote about itself.
type ownRecord struct {
	state    State
	revision uint64
	at       time.Time
}

// The bucket of node records, with its limits and intervals.
const (
	bucket     = "glasstty-nodes"
	bucketSize = 64 << 20 // some 100,000 nodes

	// recordEvery is how often a node checks whether its record is still correct.
	// refreshEvery is how often it rewrites the record even if nothing has changed.
	recordEvery  = 5 * time.Second
	refreshEvery = time.Hour
	// A node that has not answered for lostAfter counts as lost. A record expires recordTTL
	// after its last write.
	lostAfter = 7 * 24 * time.Hour
	recordTTL = 30 * 24 * time.Hour
	// bucketPause is the time between two attempts to open the bucket.
	bucketPause = 30 * time.Second
)

// inbox returns the prefix of the subjects on which NATS answers a member.
func inbox(name string) string { return "_INBOX." + name }

// errNoBucket reports that the bucket does not exist and that this member may not create it.
var errNoBucket = errors.New("no gateway has created the bucket for node records yet")

// recordSubject returns the subject under which a node's record is stored. Other nodes must
// not know the secret: they could make NATS overwrite the record with an acknowledgement (see
// the package comment).
func recordSubject(node, secret string) string { return "$KV." + bucket + "." + node + "." + secret }

// putRecord stores a record, and returns its revision.
func (m *Member) putRecord(secret string, r record) (revision uint64, err error) {
	data, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	ack, err := m.js.Publish(recordSubject(r.Name, secret), data, nats.ExpectStream("KV_"+bucket))
	if errors.Is(err, nats.ErrNoStreamResponse) {
		return 0, errNoBucket
	}
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// openBucket returns the bucket. A server with a gateway's rights creates it if there is none.
func (m *Member) openBucket() (nats.KeyValue, error) {
	// This is the configuration that nats.go uses for a key-value bucket, except that
	// rollups are disabled: with a rollup, a node could delete every other node's record.
	_, err := m.openStream(nats.StreamConfig{
		Name: "KV_" + bucket, Subjects: []string{"$KV." + bucket + ".>"}, MaxMsgsPerSubject: 1, MaxAge: recordTTL,
		MaxMsgSize: maxState, MaxBytes: bucketSize, Discard: nats.DiscardNew, AllowDirect: true,
	})
	if errors.Is(err, nats.ErrStreamNotFound) {
		return nil, errNoBucket
	}
	if err != nil {
		return nil, err
	}
	return m.js.KeyValue(bucket)
}

// keepRecords keeps this node's record, and this member's copy of the others, up to date
// until the member leaves. After an error it tries again every bucketPause, and after a
// reconnect.
func (m *Member) keepRecords() {
	warned := false
	for m.ctx.Err() == nil {
		err := nats.ErrDisconnected
		if m.conn.IsConnected() {
			err = m.followRecords()
			m.markRecordsRead()
		}
		if errors.Is(err, errNoBucket) || m.isUnreachable() {
			m.log.Debug("fleet: records", "err", err)
			err = nil
		}
		if err != nil && !warned && m.conn.IsConnected() && m.ctx.Err() == nil {
			warned = true
			m.log.Warn("fleet: node records are not stored, so servers that start later will not know nodes that have vanished; "+
				"enable JetStream and the permissions in docs/fleet.md: if an older glasstty fleet init wrote the NATS configuration, run it again and reload the NATS server", "err", err)
		}
		select {
		case <-m.ctx.Done():
		case <-m.reconnected:
		case <-time.After(bucketPause):
		}
	}
}

// followRecords reads the records, follows their changes, and keeps this node's own up to
// date. It returns on an error, or when the member leaves.
func (m *Member) followRecords() error {
	var updates <-chan nats.KeyValueEntry
	if m.Rights() == nil {
		kv, err := m.openBucket()
		if err != nil {
			return err
		}
		w, err := kv.WatchAll()
		if err != nil {
			return err
		}
		updates = w.Updates()
		defer func() {
			if err := w.Stop(); err != nil {
				m.log.Debug("fleet: records", "err", err)
			}
		}()
	} else { // a node may write its own record but not read others
		m.markRecordsRead()
		if err := m.writeRecord(); err != nil {
			return err
		}
	}
	tick := time.NewTicker(recordEvery)
	defer tick.Stop()
	for {
		select {
		case <-m.ctx.Done():
			return nil
		case e, ok := <-updates:
			switch {
			case !ok:
				return errors.New("the watch of the records ended")
			case e != nil:
				if o, forgotten := m.applyRecord(e); forgotten {
					m.ordered(o)
				}
				continue
			}
			m.markRecordsRead()
		case <-tick.C:
		}
		if err := m.writeRecord(); err != nil {
			return err
		}
	}
}

// markRecordsRead ends Recall's wait.
func (m *Member) markRecordsRead() { m.recallOnce.Do(func() { close(m.recalled) }) }

// Recall waits for the first attempt to read the node records, unless there is no connection.
// It returns nil even if that attempt failed.
func (m *Member) Recall(ctx context.Context) error {
	if !m.conn.IsConnected() {
		return nil
	}
	select {
	case <-m.ctx.Done():
		return ErrLeft
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-m.recalled:
		return nil
	}
}

// applyRecord applies a record update to m.nodes. forgotten reports that an operator has now declared
// a known node lost; o then describes the order. A node's own messages are newer than its record and
// take precedence.
func (m *Member) applyRecord(e nats.KeyValueEntry) (o Order, forgotten bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name, secret, _ := strings.Cut(e.Key(), ".")
	k := m.nodes[name]
	since := e.Created()
	if now := time.Now(); since.After(now) {
		since = now // the clocks differ
	}
	if e.Operation() != nats.KeyValuePut {
		if k != nil && (k.recorded || k.Instance == string(e.Value())) { // not if its next run is known already
			delete(m.nodes, name)
		}
		return o, false
	}
	var r record
	if len(e.Value()) > maxState || json.Unmarshal(e.Value(), &r) != nil || r.Name != name || secret == "" || CheckName(name) != nil {
		return o, false
	}
	forgotten = r.Lost && k != nil && !k.forgotten
	if k == nil && len(m.nodes) < maxNodes {
		k = &Node{State: r.State, awaySince: since, recorded: true}
		m.nodes[r.Name] = k
	}
	switch {
	case k == nil:
	case r.Lost && k.awaySince.IsZero() && k.Instance == r.Instance: // this member has not noticed yet that it does not answer
		k.forgotten, k.awaySince = true, since
	case !k.awaySince.IsZero():
		if k.forgotten = r.Lost; k.recorded { // this record is later
			k.State, k.awaySince = r.State, since
		}
	}
	return Order{OrderForget, r.Name, r.Operator, r.Gateway}, forgotten && k.forgotten
}

// writeRecord writes this node's record, unless the last one is still correct and recent.
func (m *Member) writeRecord() error {
	if !m.isHere() {
		return nil
	}
	s := m.state()
	s.Age, s.Load = 0, 0 // these change all the time; a change of them alone is not recorded
	m.mu.Lock()
	same := m.recorded.revision != 0 && reflect.DeepEqual(s, m.recorded.state) && time.Since(m.recorded.at) < refreshEvery
	m.mu.Unlock()
	if same {
		return nil
	}
	revision, err := m.putRecord(m.secret, record{State: s})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recorded = ownRecord{s, revision, time.Now()}
	return nil
}

// deleteRecord removes this node's record when it leaves the fleet properly, unless the node's
// next run has written another revision. The deletion names the run that has ended. It does
// not wait for NATS's answer.
func (m *Member) deleteRecord() error {
	m.mu.Lock()
	revision := m.recorded.revision
	m.mu.Unlock()
	if revision == 0 {
		return nil
	}
	msg := nats.NewMsg(recordSubject(m.opt.Name, m.secret))
	msg.Data = []byte(m.instance)
	msg.Header.Set("KV-Operation", "DEL") // as KeyValue.Delete does
	msg.Header.Set(nats.ExpectedLastSubjSeqHdr, strconv.FormatUint(revision, 10))
	return m.conn.PublishMsg(msg)
}

// Forget declares an unreachable node lost, for all members. The node's own record stays, and
// replaces this one when the node returns. The error wraps ErrLost if the node is lost already.
func (m *Member) Forget(ctx context.Context, host string) error {
	if err := m.Recall(ctx); err != nil {
		return err
	}
	switch s, err := m.State(ctx, host); {
	case err == nil:
		return fmt.Errorf("node %s answers and has %d sessions; only a node that does not answer can be forgotten. To take it out of service, run glasstty fleet drain --wait %[1]s and then stop its server", host, s.Sessions)
	case !errors.Is(err, ErrUnreachable):
		return err
	}
	r := record{Lost: true, State: m.Known(host).State, Operator: m.opt.Operator, Gateway: m.opt.Name}
	if _, err := m.putRecord(rand.Text(), r); err != nil {
		return fmt.Errorf("record that node %s is lost: the NATS server needs JetStream and the permissions in docs/fleet.md: %w", host, err)
	}
	return nil
}

// lostReason returns why the node counts as lost, or "" if it does not.
func (n Node) lostReason() string {
	switch {
	case n.awaySince.IsZero():
		return ""
	case n.forgotten:
		return "an operator declared it lost"
	case n.Away() > lostAfter:
		return fmt.Sprintf("it has not answered for %s", brief(n.Away()))
	}
	return ""
}

// brief formats a duration with its one or two largest units.
func brief(d time.Duration) string {
	day := 24 * time.Hour
	switch {
	case d >= day:
		return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return cmp.Or(d.Round(time.Second), time.Second).String()
}
