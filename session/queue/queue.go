package queue

import (
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"
)

const (
	// Limit is the maximum number of typed bytes that wait for a child that does not read.
	Limit = 64 << 10
	// replyLimit is the maximum number of bytes of the emulator's replies that wait. A reply that
	// would exceed the limit is dropped whole.
	replyLimit = 64 << 10
	// PieceSize is the maximum number of bytes written to the child at once. Because it is small,
	// progress can be observed.
	PieceSize = 4 << 10
)

// PasteEnd ends a bracketed paste (xterm ctlseqs, "Bracketed Paste Mode").
const PasteEnd = "\x1b[201~"

// An Item is a piece of input on its way to the child.
type Item struct {
	Data   []byte
	Call   *Call // the call that types Data; nil for a reply of the emulator
	Offset int64 // offset of Data in the call's bytes; for a reply, the bytes of output up to the query's end
	First  bool  // the call's first piece
	Last   bool  // the call's last piece
}

// A Queue holds the input to be written to the child: typed bytes and the emulator's
// replies, in order. It is safe for concurrent use.
type Queue struct {
	Rate *rate.Limiter // limits the callers of Put; the Queue itself does not use it

	turn        chan struct{} // has an element while no call has the turn to type
	wanted      atomic.Int32  // number of calls that wait for the turn
	unreserved  chan struct{} // has an element unless there is a reservation, or a call without one waits for the turn
	reservation atomic.Pointer[Reservation]

	mu           sync.Mutex    // guards the fields below
	changed      chan struct{} // closed and replaced at every change of the fields below
	items        []Item
	typed        int   // bytes of typed items, including the one being written
	replies      int   // bytes of reply items, including the one being written
	writing      *Item // the item that is being written; nil if there is none
	failed       bool  // the child takes no more input, so items are refused
	toolsBlocked bool  // a person has stepped in, so items of tool calls are refused
}

// New returns an empty queue whose Rate allows perSecond bytes per second, in bursts of at most as
// many bytes, or of PieceSize if that is more. If perSecond is not positive, there is no limit.
func New(perSecond int64) *Queue {
	limiter := rate.NewLimiter(rate.Inf, 0)
	if perSecond > 0 {
		limiter = rate.NewLimiter(rate.Limit(perSecond), max(int(perSecond), PieceSize))
	}
	q := &Queue{Rate: limiter, turn: make(chan struct{}, 1), unreserved: make(chan struct{}, 1), changed: make(chan struct{})}
	q.turn <- struct{}{}
	q.unreserved <- struct{}{}
	return q
}

// notifyLocked wakes all goroutines that wait for the queue to change.
func (q *Queue) notifyLocked() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Put appends a typed Item. If Limit would be exceeded, or BlockTools refuses the Item, ok is false, and
// changed is closed when the queue changes. failed reports that the child takes no more input.
func (q *Queue) Put(it Item) (ok, failed bool, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed {
		return false, true, nil
	}
	if q.toolsBlocked && it.Call.ByTool() || q.typed+len(it.Data) > Limit {
		return false, false, q.changed
	}
	q.addLocked(it)
	return true, false, nil
}

// Add appends a typed item even if Limit is exceeded. It drops the item if the child takes no more
// input or BlockTools has dropped items of the same call.
func (q *Queue) Add(it Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.failed && !it.Call.dropped {
		q.addLocked(it)
	}
}

func (q *Queue) addLocked(it Item) {
	q.items = append(q.items, it)
	q.typed += len(it.Data)
	q.notifyLocked()
}

// Reply queues data: the emulator's replies to queries in the first upTo bytes of output. If
// replyLimit would be exceeded, Reply drops all of data.
func (q *Queue) Reply(data []byte, upTo int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed || len(data) == 0 || q.replies+len(data) > replyLimit {
		return
	}
	q.items = append(q.items, Item{Data: data, Offset: upTo})
	q.replies += len(data)
	q.notifyLocked()
}

// TurnWanted reports whether a call waits for the turn.
func (q *Queue) TurnWanted() bool { return q.wanted.Load() > 0 }

// GiveTurn ends the turn that TakeTurn began.
func (q *Queue) GiveTurn() { q.turn <- struct{}{} }

// Take waits for the next Item and removes it from the queue. It returns false if the queue has
// failed. Call Written when the Item was written to the child.
func (q *Queue) Take() (Item, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.failed {
		changed := q.changed
		q.mu.Unlock()
		<-changed
		q.mu.Lock()
	}
	if q.failed {
		return Item{}, false
	}
	it := q.items[0]
	q.items[0] = Item{}
	q.items = q.items[1:]
	q.writing = &it
	return it, true
}

// Written records that the Item that Take has returned was written to the child, or will not be written.
func (q *Queue) Written() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.countLocked(*q.writing, -1)
	q.writing = nil
	q.notifyLocked()
}

// Pending reports whether an item waits or is being written. After Fail, it is false.
func (q *Queue) Pending() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.failed && (len(q.items) > 0 || q.writing != nil)
}

// Full reports whether an Item is being written and PieceSize more typed bytes would exceed Limit.
// changed is closed when the queue changes.
func (q *Queue) Full() (full bool, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.writing != nil && q.typed+PieceSize > Limit, q.changed
}

// Idle reports whether no call has the turn, and no item is Pending.
func (q *Queue) Idle() bool { return len(q.turn) == 1 && !q.Pending() }

// countLocked adds an item to the byte counts, or subtracts it.
func (q *Queue) countLocked(it Item, sign int) {
	if it.Call == nil {
		q.replies += sign * len(it.Data)
	} else {
		q.typed += sign * len(it.Data)
	}
}

// BlockTools drops the queued items of tool calls, returns them, and refuses further items of tool calls
// until UnblockTools. It keeps or adds the end of a bracketed paste whose beginning was written, because a
// program that waits for the end of a paste would take all later input as part of the paste.
func (q *Queue) BlockTools() (dropped []Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.toolsBlocked = true
	var left []Item
	for _, it := range q.items {
		if it.Call == nil || !it.Call.ByTool() || string(it.Data) == PasteEnd {
			left = append(left, it)
			continue
		}
		q.countLocked(it, -1)
		if at := it.Offset; !it.First && at < int64(it.Call.Paste) && !slices.ContainsFunc(dropped, func(d Item) bool { return d.Call == it.Call }) {
			end := Item{Data: []byte(PasteEnd), Call: it.Call, Offset: at, Last: true}
			q.countLocked(end, 1)
			left = append(left, end)
		}
		it.Call.dropped = true
		dropped = append(dropped, it)
	}
	q.items = left
	q.notifyLocked()
	return dropped
}

// UnblockTools accepts input of tool calls again.
func (q *Queue) UnblockTools() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.toolsBlocked = false
	q.notifyLocked()
}

// Fail drops all items and refuses new ones. Call it when the child takes no more input: the child
// has ended, its input is closed, or the session is closing.
func (q *Queue) Fail() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failed, q.items = true, nil
	q.notifyLocked()
}
