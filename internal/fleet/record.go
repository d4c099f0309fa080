package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// A record is what the fleet's NATS server stores about a node, in a key-value bucket
// with the nodes' names as keys. From the records a new member learns about nodes that
// vanished before it joined.
type record struct {
	State
	Lost bool `json:"lost,omitempty"` // an operator has said that it does not come back
}

// An ownRecord is the record that this node last wrote about itself.
type ownRecord struct {
	state    State
	revision uint64
	at       time.Time
}

// Bounds of the records.
const (
	bucket     = "glasstty-nodes"
	bucketSize = 64 << 20 // some 100,000 nodes

	// recordEvery is how often a node checks whether its record is still correct, and
	// refreshEvery how often it writes it again even so.
	recordEvery  = 5 * time.Second
	refreshEvery = time.Hour
	// lostAfter is how long a node may be away before it counts as lost. keepRecord is
	// how long its record is kept after it was last written.
	lostAfter  = 7 * 24 * time.Hour
	keepRecord = 30 * 24 * time.Hour
	// bucketPause is the time between two tries to open the bucket.
	bucketPause = 30 * time.Second
)

// inbox returns the prefix of the subjects on which NATS answers a member.
func inbox(name string) string { return "_INBOX." + name }

// errNoBucket says that there is no bucket and that this node may not make it.
var errNoBucket = errors.New("no gateway has made the bucket of the records yet")

// openBucket returns the bucket. A server (Options.Patient) creates it if it does not exist.
func (m *Member) openBucket() (nats.KeyValue, error) {
	kv, err := m.js.KeyValue(bucket)
	if !errors.Is(err, nats.ErrBucketNotFound) || !m.opt.Patient {
		return kv, err
	}
	// As a key-value bucket has it, but for rollups: with one of them a node could clear the
	// records of all others.
	_, err = m.makeStream(nats.StreamConfig{
		Name: "KV_" + bucket, Subjects: []string{"$KV." + bucket + ".>"}, MaxMsgsPerSubject: 1, MaxAge: keepRecord,
		MaxMsgSize: maxState, MaxBytes: bucketSize, Discard: nats.DiscardNew, DenyDelete: true, AllowDirect: true,
	})
	switch {
	case err == nil:
		return m.js.KeyValue(bucket)
	case m.opt.Handle != nil && errors.Is(err, context.DeadlineExceeded): // NATS refuses what a node may not do without an answer
		return nil, errNoBucket
	}
	return nil, err
}

// keepRecords keeps this node's record, and this member's copy of the others, up to date
// until the member leaves. It tries again after an error.
func (m *Member) keepRecords() {
	told := false
	for m.ctx.Err() == nil {
		err := nats.ErrDisconnected
		if m.conn.IsConnected() {
			err = m.followRecords()
		}
		m.recallDone()
		if errors.Is(err, errNoBucket) || m.isUnheard() {
			m.log.Debug("fleet: records", "err", err)
			err = nil
		}
		if err != nil && !told && m.conn.IsConnected() && m.ctx.Err() == nil {
			told = true
			m.log.Warn("fleet: the NATS server keeps no record of the nodes, so servers that start after a node has vanished will not know it; "+
				"it needs JetStream, and the rights of docs/fleet.md", "err", err)
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
	kv, err := m.openBucket()
	if err != nil {
		return err
	}
	var updates <-chan nats.KeyValueEntry
	switch w, err := kv.WatchAll(); {
	case err == nil:
		updates = w.Updates()
		defer func() {
			if err := w.Stop(); err != nil {
				m.log.Debug("fleet: records", "err", err)
			}
		}()
	case m.opt.Handle == nil:
		return err
	default: // a node may write its own record and read no others
		m.recallDone()
		if err := m.writeRecord(kv); err != nil {
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
				return errors.New("NATS has ended the reading of records")
			case e != nil:
				m.recall(e)
				continue
			}
			m.recallDone()
		case <-tick.C:
		}
		if err := m.writeRecord(kv); err != nil {
			return err
		}
	}
}

// recallDone is called when the records have been read or cannot be; it ends Recall's wait.
func (m *Member) recallDone() { m.recallOnce.Do(func() { close(m.recalled) }) }

// Recall waits until the records of nodes have been read, or cannot be.
func (m *Member) Recall(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-m.recalled:
		return nil
	}
}

// recall applies a change of a record to m.nodes. A node's own messages are newer than its
// record and take precedence.
func (m *Member) recall(e nats.KeyValueEntry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.nodes[e.Key()]
	since := e.Created()
	if now := time.Now(); since.After(now) {
		since = now // the clocks differ
	}
	if e.Operation() != nats.KeyValuePut {
		if k != nil {
			k.left, k.away = true, since
		}
		return
	}
	var r record
	if len(e.Value()) > maxState || json.Unmarshal(e.Value(), &r) != nil || r.Name != e.Key() || CheckName(r.Name) != nil {
		return
	}
	if k == nil && len(m.nodes) < maxNodes {
		k = &known{state: r.State, away: since, recorded: true}
		m.nodes[r.Name] = k
	}
	switch {
	case k == nil:
	case r.Lost && k.away.IsZero() && k.state.Instance == r.Instance: // nobody has asked it since
		k.forgotten, k.away = true, since
	case !k.away.IsZero():
		k.forgotten = r.Lost
	}
}

// writeRecord writes this node's record, unless the one it last wrote is correct and recent.
func (m *Member) writeRecord(kv nats.KeyValue) error {
	if !m.isHere() {
		return nil
	}
	s := m.state()
	s.Age, s.Load = 0, 0 // these change all the time and are not worth a record
	m.mu.Lock()
	same := m.recorded.revision != 0 && sameState(s, m.recorded.state) && time.Since(m.recorded.at) < refreshEvery
	m.mu.Unlock()
	if same {
		return nil
	}
	data, err := json.Marshal(record{State: s})
	if err != nil {
		return err
	}
	revision, err := kv.Put(s.Name, data)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recorded = ownRecord{s, revision, time.Now()}
	return nil
}

// sameState reports whether two states are equal in what a record stores.
func sameState(a, b State) bool {
	return a.Instance == b.Instance && a.Version == b.Version && a.Sessions == b.Sessions &&
		a.Capacity == b.Capacity && a.Draining == b.Draining && maps.Equal(a.Labels, b.Labels)
}

// deleteRecord removes this node's record when it leaves the fleet properly. It does not
// remove a record that the node's next run has written, and does not wait for NATS's answer.
func (m *Member) deleteRecord() error {
	m.mu.Lock()
	revision := m.recorded.revision
	m.mu.Unlock()
	if revision == 0 {
		return nil
	}
	msg := nats.NewMsg("$KV." + bucket + "." + m.opt.Name)
	msg.Header.Set("KV-Operation", "DEL") // as KeyValue.Delete does
	msg.Header.Set(nats.ExpectedLastSubjSeqHdr, strconv.FormatUint(revision, 10))
	return m.conn.PublishMsg(msg)
}

// Forget tells all members that a node that does not answer is gone for good.
func (m *Member) Forget(ctx context.Context, host string) error {
	if err := m.Recall(ctx); err != nil {
		return err
	}
	switch s, err := m.State(ctx, host); {
	case err == nil:
		return fmt.Errorf("node %s answers, and has %d sessions: only a node that does not answer can be forgotten; to take it out of service, run glasstty fleet drain --wait %[1]s, then stop its server", host, s.Sessions)
	case !errors.Is(err, ErrUnreachable) && !errors.Is(err, ErrLost):
		return err
	}
	m.mu.Lock()
	r := record{Lost: true, State: State{Name: host}}
	if k := m.nodes[host]; k != nil {
		r.State = k.state
	}
	m.mu.Unlock()
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	kv, err := m.openBucket()
	if err == nil {
		_, err = kv.Put(host, data)
	}
	if err != nil {
		return fmt.Errorf("record that node %s is lost: the NATS server needs JetStream and the permissions in docs/fleet.md: %w", host, err)
	}
	return nil
}

// lost says why a node counts as lost, "" for one that does not.
func (k *known) lost() string {
	switch {
	case k.away.IsZero():
		return ""
	case k.forgotten:
		return "an operator has said so"
	case time.Since(k.away) > lostAfter:
		return fmt.Sprintf("it was last heard of %s ago", brief(time.Since(k.away)))
	}
	return ""
}

// brief returns a duration with its two largest units.
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
