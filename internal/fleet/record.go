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
// NODE.SECRET (see recordSubject). From the records, a new member learns of nodes that vanished
// before it joined. If a node has several records, the latest is valid.
type record struct {
	State
	Lost bool `json:"lost,omitempty"` // set by an operator: the node will not come back
	// The operator who declared the node lost, and the gateway whose credentials the
	// operator used.
	Operator string `json:"operator,omitempty"`
	Gateway  string `json:"gateway,omitempty"`
}

// The bucket of node records, with its limits and intervals.
const (
	bucket     = "glasstty-nodes"
	bucketSize = 64 << 20 // bytes, enough for some 100,000 nodes

	// A node checks every recordEvery whether its record is still correct, or after recordRetry if
	// there was an error. It rewrites a record that is older than refreshEvery even if nothing has
	// changed.
	recordEvery  = 5 * time.Second
	recordRetry  = 15 * time.Second
	refreshEvery = time.Hour
	// A node that has not answered for lostAfter is lost. A record expires recordTTL after its
	// last write.
	lostAfter = 7 * 24 * time.Hour
	recordTTL = 30 * 24 * time.Hour
)

// inboxPrefix returns the prefix of the subjects on which NATS answers a member.
func inboxPrefix(name string) string { return "_INBOX." + name }

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

// bucketConfig is the configuration that nats.go uses for a key-value bucket, except that rollups
// are disabled: with a rollup, a node could delete the records of all other nodes.
func bucketConfig() nats.StreamConfig {
	return nats.StreamConfig{
		Name: "KV_" + bucket, Subjects: []string{"$KV." + bucket + ".>"}, MaxMsgsPerSubject: 1, MaxAge: recordTTL,
		MaxMsgSize: maxState, MaxBytes: bucketSize, Discard: nats.DiscardNew, AllowDirect: true,
	}
}

// A recorder opens the streams, keeps this node's record up to date, and watches the records of all
// nodes. Only the goroutine of keepRecords uses it.
type recorder struct {
	m       *Member
	stale   bool            // the streams must be created or updated (openStreams)
	gateway bool            // the member has a gateway's rights
	watcher nats.KeyWatcher // receives the records and their changes; nil while they are not watched
	state   State           // as last recorded
	at      time.Time       // when state was recorded; zero if it must be recorded again
}

// keepRecords runs the member's recorder until the member disconnects. After each call of
// checkStreams, the recorder starts over, because NATS may have lost the streams and the records.
func (m *Member) keepRecords() {
	r, warned := &recorder{m: m}, false
	defer r.stopWatching()
	var tick <-chan time.Time
	for {
		var records <-chan nats.KeyValueEntry
		if r.watcher != nil {
			records = r.watcher.Updates()
		}
		select {
		case <-m.ctx.Done():
			return
		case e, ok := <-records:
			r.handleUpdate(e, ok)
			continue
		case <-m.check:
			r.stopWatching()
			r.stale, r.gateway, r.at = true, m.CheckRights() == nil, time.Time{}
		case <-tick:
		}
		if !m.conn.IsConnected() {
			continue // handleConnected calls checkStreams
		}
		err := cmp.Or(r.open(), r.watch(), r.write())
		tick = time.After(recordEvery)
		if err != nil {
			tick = time.After(recordRetry)
		}
		if err != nil || !r.gateway {
			m.endReading()
		}
		switch {
		case err == nil || warned || !m.conn.IsConnected() || m.ctx.Err() != nil:
		case errors.Is(err, errNoBucket) || m.isUnreachable():
			m.log.Debug("fleet: records", "err", err)
		default:
			warned = true
			m.log.Warn("fleet: NATS does not store node records, or a stream that this server needs; trying again. It needs JetStream and the permissions in docs/fleet.md. "+
				"Without records, servers that start later do not know nodes that have vanished", "err", err)
		}
	}
}

// open creates or updates the streams if they are stale and this is a server with a gateway's rights.
func (r *recorder) open() error {
	var err error
	if r.stale && r.gateway && r.m.opt.Server {
		err = r.m.openStreams()
	}
	r.stale = err != nil
	return err
}

// watch starts watching the records, unless they are watched or the member lacks a gateway's rights.
func (r *recorder) watch() error {
	if r.watcher != nil || !r.gateway {
		return nil
	}
	kv, err := r.m.js.KeyValue(bucket)
	if errors.Is(err, nats.ErrBucketNotFound) {
		return errNoBucket
	}
	if err == nil {
		r.watcher, err = kv.WatchAll()
	}
	return err
}

// stopWatching stops watching the records.
func (r *recorder) stopWatching() {
	if r.watcher == nil {
		return
	}
	if err := r.watcher.Stop(); err != nil {
		r.m.log.Debug("fleet: records", "err", err)
	}
	r.watcher = nil
}

// handleUpdate handles a value from the watcher's channel; ok is false if the channel is closed.
func (r *recorder) handleUpdate(e nats.KeyValueEntry, ok bool) {
	switch {
	case !ok:
		r.watcher = nil
	case e == nil: // all records have been read
		r.m.endReading()
	default:
		if o, forgotten := r.m.nodes.applyRecord(e); forgotten {
			r.m.handleOrder(o)
		}
	}
}

// write writes this node's record. It does nothing if the record is still correct and recent, or if
// the member does not serve as a node.
func (r *recorder) write() error {
	if !r.m.service.serving() {
		return nil
	}
	s := r.m.service.state()
	s.Age, s.Load = 0, 0 // these change all the time; a change of them alone is not recorded
	if reflect.DeepEqual(s, r.state) && time.Since(r.at) < refreshEvery {
		return nil
	}
	revision, err := r.m.putRecord(r.m.secret, record{State: s})
	if err != nil {
		return err
	}
	r.state, r.at = s, time.Now()
	r.m.revision.Store(revision)
	return nil
}

// AwaitRecords waits until this member has tried once to read the node records. It returns nil even if
// the attempt failed. Without a connection, it returns nil at once.
func (m *Member) AwaitRecords(ctx context.Context) error {
	if !m.conn.IsConnected() {
		return nil
	}
	select {
	case <-m.ctx.Done():
		return ErrLeft
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-m.recordsRead:
		return nil
	}
}

// applyRecord applies an update of a record. If the update declares a known node lost that was not lost
// before, forgotten is true, and o describes the operator's order. A state that the node itself has sent
// takes precedence over the node's record.
func (t *nodeTable) applyRecord(e nats.KeyValueEntry) (o Order, forgotten bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name, secret, _ := strings.Cut(e.Key(), ".")
	k := t.nodes[name]
	since := e.Created()
	if now := time.Now(); since.After(now) {
		since = now // the clock of the NATS server is ahead
	}
	if e.Operation() != nats.KeyValuePut {
		if k != nil && (k.recorded || k.Instance == string(e.Value())) { // not if a later run of the node is known
			delete(t.nodes, name)
		}
		return o, false
	}
	var r record
	if len(e.Value()) > maxState || json.Unmarshal(e.Value(), &r) != nil || r.Name != name || secret == "" || CheckName(name) != nil {
		return o, false
	}
	forgotten = r.Lost && k != nil && !k.forgotten
	if k == nil && len(t.nodes) < maxNodes {
		k = &Node{State: r.State, awaySince: since, recorded: true}
		t.nodes[r.Name] = k
	}
	switch {
	case k == nil:
	case r.Lost && k.awaySince.IsZero() && k.Instance == r.Instance: // this member has not noticed yet that the node does not answer
		k.forgotten, k.awaySince = true, since
	case !k.awaySince.IsZero():
		if k.forgotten = r.Lost; k.recorded { // the state is from an older record
			k.State, k.awaySince = r.State, since
		}
	}
	return Order{OrderForget, r.Name, r.Operator, r.Gateway}, forgotten && k.forgotten
}

// deleteRecord marks this node's record as deleted when the node leaves the fleet, unless the
// node's next run has written another revision. The deletion names the run that ends here.
// deleteRecord does not wait for NATS's answer.
func (m *Member) deleteRecord() error {
	revision := m.revision.Load()
	if revision == 0 {
		return nil
	}
	msg := nats.NewMsg(recordSubject(m.opt.Name, m.secret))
	msg.Data = []byte(m.instance)
	msg.Header.Set("KV-Operation", "DEL") // as KeyValue.Delete does
	msg.Header.Set(nats.ExpectedLastSubjSeqHdr, strconv.FormatUint(revision, 10))
	return m.conn.PublishMsg(msg)
}

// Forget declares an unreachable node lost, for all members, in a second record for the node. When
// the node returns, it writes its own record again, and the later record is valid. The error wraps
// ErrLost if the node is lost already.
func (m *Member) Forget(ctx context.Context, host string) error {
	if err := m.AwaitRecords(ctx); err != nil {
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

// lostReason returns why the node is lost, or "" if it is not lost.
func (n Node) lostReason() string {
	switch {
	case n.awaySince.IsZero():
		return ""
	case n.forgotten:
		return "an operator declared it lost"
	case n.Away() > lostAfter:
		return fmt.Sprintf("it has not answered for %s", n.Away().Round(time.Second))
	}
	return ""
}
