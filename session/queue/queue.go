package queue

import (
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"
)

const (
	// Limit is how many typed bytes wait for a child that does not read.
	Limit = 64 << 10
	// replyLimit is how many bytes of the emulator's replies may wait; further replies are
	// dropped whole.
	replyLimit = 64 << 10
	// PieceSize is the most that is written to the child at once, so that progress can be
	// observed.
	PieceSize = 4 << 10
)

// PasteEnd ends a bracketed paste (xterm ctlseqs, "Bracketed Paste Mode").
const PasteEnd = "\x1b[201~"

// An Item is a piece of input on its way to the child.
type Item struct {
	Data   []byte
	Call   *Call // the call that types it; nil for a reply of the emulator
	Offset int64 // of Data in the call's bytes; for a reply, of the output that it answers
	First  bool  // the call's first piece
	Finish bool  // the call's last piece
}

// A Queue holds what is to be written to the child: typed bytes and the
// emulator's replies, in order. It is safe for concurrent use.
type Queue struct {
	Rate *rate.Limiter // of typed bytes

	turn   chan struct{} // held by the call that is typing, so that inputs do not mix
	wanted atomic.Int32  // calls that wait for the turn
	// reservation keeps other calls from taking the turn, nil for none.
	reservation atomic.Pointer[Reservation]

	mu      sync.Mutex // guards what follows
	changed chan struct{}
	items   []Item
	typed   int // bytes of typed items, the one being written included
	replies int // bytes of reply items
	busy    bool
	writing Item
	failed  bool // the child takes no more input
	barred  bool // a person has stepped in: input of tool calls is refused
}

// New returns an empty queue, which takes perSecond typed bytes a second, and as many at
// once; any number if perSecond is not above zero.
func New(perSecond int64) *Queue {
	limiter := rate.NewLimiter(rate.Inf, 0)
	if perSecond > 0 {
		limiter = rate.NewLimiter(rate.Limit(perSecond), max(int(perSecond), PieceSize))
	}
	return &Queue{Rate: limiter, turn: make(chan struct{}, 1), changed: make(chan struct{})}
}

// notifyLocked wakes all goroutines that wait for the queue to change.
func (q *Queue) notifyLocked() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Put appends a typed Item if there is room for it. Otherwise it returns a channel that is
// closed when there may be room.
func (q *Queue) Put(it Item) (ok, failed bool, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed {
		return false, true, nil
	}
	if q.barred && it.Call.Tool() || q.typed+len(it.Data) > Limit {
		return false, false, q.changed
	}
	q.addLocked(it)
	return true, false, nil
}

// Add appends a typed item even if there is no room, and reports whether it did. It does
// not if the child takes no more input, or Bar has cut the call.
func (q *Queue) Add(it Item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed || it.Call.cut {
		return false
	}
	q.addLocked(it)
	return true
}

// addLocked appends a typed item.
func (q *Queue) addLocked(it Item) {
	q.items = append(q.items, it)
	q.typed += len(it.Data)
	q.notifyLocked()
}

// Reply appends the emulator's replies to the output up to a byte, and reports whether
// there was room for them.
func (q *Queue) Reply(data []byte, upTo int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed || q.replies+len(data) > replyLimit {
		return false
	}
	q.items = append(q.items, Item{Data: data, Offset: upTo})
	q.replies += len(data)
	q.notifyLocked()
	return true
}

// Wanted reports whether another call waits for the turn.
func (q *Queue) Wanted() bool { return q.wanted.Load() > 0 }

// GiveTurn gives the turn back.
func (q *Queue) GiveTurn() { <-q.turn }

// Take waits for the next Item and removes it. It returns false if the queue has failed.
// The Item counts as pending until the next Take.
func (q *Queue) Take() (Item, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy {
		q.busy = false
		q.countLocked(q.writing, -1)
		q.writing = Item{}
		q.notifyLocked()
	}
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
	q.busy, q.writing = true, it
	return it, true
}

// Idle reports whether nothing waits to be written, or is being written.
func (q *Queue) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) == 0 && !q.busy
}

// Full reports whether a piece is being written and there is no room for another; changed
// is closed when that may change.
func (q *Queue) Full() (full bool, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.busy && q.typed+PieceSize > Limit, q.changed
}

// Still reports whether the queue is idle and no call is typing: a call may be between two
// items.
func (q *Queue) Still() bool { return len(q.turn) == 0 && q.Idle() }

// countLocked adds an item to the byte counts, or subtracts it.
func (q *Queue) countLocked(it Item, sign int) {
	if it.Call == nil {
		q.replies += sign * len(it.Data)
	} else {
		q.typed += sign * len(it.Data)
	}
}

// Bar drops the queued items of tool calls, and refuses further ones. It returns the
// dropped items, and how many ends of a bracketed paste it has queued in their place, see
// feeder.endPaste.
func (q *Queue) Bar() (dropped []Item, ends int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.barred = true
	var left []Item
	for _, it := range q.items {
		if it.Call == nil || !it.Call.Tool() || string(it.Data) == PasteEnd {
			left = append(left, it)
			continue
		}
		q.countLocked(it, -1)
		if at := it.Offset; !it.First && at < int64(it.Call.Paste) && !dropsOf(dropped, it.Call) {
			end := Item{Data: []byte(PasteEnd), Call: it.Call, Offset: at, Finish: true}
			q.countLocked(end, 1)
			left, ends = append(left, end), ends+1
		}
		it.Call.cut = true
		dropped = append(dropped, it)
	}
	q.items = left
	q.notifyLocked()
	return dropped, ends
}

// dropsOf reports whether an Item of a call is among the dropped items.
func dropsOf(dropped []Item, call *Call) bool {
	return slices.ContainsFunc(dropped, func(it Item) bool { return it.Call == call })
}

// Unbar accepts input of tool calls again.
func (q *Queue) Unbar() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.barred = false
	q.notifyLocked()
}

// Fail drops all items and refuses more: the child is gone.
func (q *Queue) Fail() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failed, q.items = true, nil
	q.notifyLocked()
}
