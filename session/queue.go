package session

import (
	"slices"
	"sync"
)

const (
	// queueLimit is how many typed bytes wait for a child that does not read.
	queueLimit = 64 << 10
	// replyLimit is how many bytes of the emulator's replies may wait; replies
	// beyond it are dropped whole, as no program can want them all.
	replyLimit = 64 << 10
	// pieceSize is the most that is written to the child at once, so that what
	// was typed is known to be taken in steps.
	pieceSize = 4 << 10
)

// An item is a piece of input on its way to the child.
type item struct {
	data   []byte
	call   *typing // what it belongs to; nil for the emulator's own replies
	offset int64   // of data in the call's bytes; of replies: of the output that they answer
	first  bool    // the call's first piece
	finish bool    // the call's last piece
}

// A queue holds what is to be written to the child: typed bytes and the
// emulator's replies, in order. It is safe for concurrent use.
type queue struct {
	turn chan struct{} // held by the call that is typing, so that calls do not mix

	mu      sync.Mutex // guards what follows
	changed chan struct{}
	items   []item
	typed   int // bytes of typed items, the one being written included
	replies int // bytes of reply items
	busy    bool
	writing item
	failed  bool // the child takes no more input
	barred  bool // a person has stepped in: nothing of tool calls is taken
}

func newQueue() *queue {
	return &queue{turn: make(chan struct{}, 1), changed: make(chan struct{})}
}

// notifyLocked wakes all who wait for the queue to change.
func (q *queue) notifyLocked() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// put appends a typed item when there is room for it. Otherwise it returns a
// channel that is closed when there may be.
func (q *queue) put(it item) (ok, failed bool, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed {
		return false, true, nil
	}
	if q.barred && it.call.tool() || q.typed+len(it.data) > queueLimit {
		return false, false, q.changed
	}
	q.addLocked(it)
	return true, false, nil
}

// add appends a typed item, whether or not there is room, unless the child takes no
// more or bar has cut its call, and reports whether it did.
func (q *queue) add(it item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed || it.call.cut {
		return false
	}
	q.addLocked(it)
	return true
}

// addLocked appends a typed item.
func (q *queue) addLocked(it item) {
	q.items = append(q.items, it)
	q.typed += len(it.data)
	q.notifyLocked()
}

// reply appends the emulator's replies to the output up to a byte, and reports
// whether there was room.
func (q *queue) reply(data []byte, upTo int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed || q.replies+len(data) > replyLimit {
		return false
	}
	q.items = append(q.items, item{data: data, offset: upTo})
	q.replies += len(data)
	q.notifyLocked()
	return true
}

// take waits for the next item and removes it. It returns false when the queue
// has failed. The item counts as pending until the next take.
func (q *queue) take() (item, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy {
		q.busy = false
		q.countLocked(q.writing, -1)
		q.writing = item{}
		q.notifyLocked()
	}
	for len(q.items) == 0 && !q.failed {
		changed := q.changed
		q.mu.Unlock()
		<-changed
		q.mu.Lock()
	}
	if q.failed {
		return item{}, false
	}
	it := q.items[0]
	q.items[0] = item{}
	q.items = q.items[1:]
	q.busy, q.writing = true, it
	return it, true
}

// idle reports whether nothing waits to be written, or is being written.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) == 0 && !q.busy
}

// countLocked adds it to, or takes it from, the byte counts.
func (q *queue) countLocked(it item, sign int) {
	if it.call == nil {
		q.replies += sign * len(it.data)
	} else {
		q.typed += sign * len(it.data)
	}
}

// bar takes nothing more of tool calls, and drops what is queued of them. It returns
// the dropped items, and how many ends of a bracketed paste stand in their place (see
// endPaste).
func (q *queue) bar() (dropped []item, ends int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.barred = true
	var left []item
	for _, it := range q.items {
		if it.call == nil || !it.call.tool() || string(it.data) == pasteEnd {
			left = append(left, it)
			continue
		}
		q.countLocked(it, -1)
		if at := it.offset; !it.first && at < int64(it.call.paste) && !dropsOf(dropped, it.call) {
			end := item{data: []byte(pasteEnd), call: it.call, offset: at, finish: true}
			q.countLocked(end, 1)
			left, ends = append(left, end), ends+1
		}
		it.call.cut = true
		dropped = append(dropped, it)
	}
	q.items = left
	q.notifyLocked()
	return dropped, ends
}

// dropsOf reports whether an item of a call is among the dropped ones.
func dropsOf(dropped []item, call *typing) bool {
	return slices.ContainsFunc(dropped, func(it item) bool { return it.call == call })
}

// unbar takes what tool calls type again.
func (q *queue) unbar() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.barred = false
	q.notifyLocked()
}

// fail drops what is queued and refuses more: the child is gone.
func (q *queue) fail() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failed, q.items = true, nil
	q.notifyLocked()
}
