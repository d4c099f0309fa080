package queue

import (
	"testing"
)

// TestQueueLimits checks the limits for typed bytes and for replies.
func TestQueueLimits(t *testing.T) {
	q := New(0)
	piece := Item{Data: make([]byte, PieceSize), Call: &Call{}}
	put := 0
	for {
		ok, failed, _ := q.Put(piece)
		if failed {
			t.Fatal("the queue has failed")
		}
		if !ok {
			break
		}
		put += PieceSize
	}
	if put != Limit || q.typed != put {
		t.Errorf("%d typed bytes queued, counted %d, want %d", put, q.typed, Limit)
	}
	replies := -1
	for q.replies > replies {
		replies = q.replies
		q.Reply(make([]byte, 1000), 0)
	}
	if replies == 0 || replies > replyLimit {
		t.Errorf("%d bytes of replies queued, limit %d", replies, replyLimit)
	}
	if _, ok := q.Take(); !ok {
		t.Fatal("nothing to take")
	}
	_, _, changed := q.Put(piece)
	q.Written() // makes room
	select {
	case <-changed:
	default:
		t.Error("no signal although there is room again")
	}
	if ok, _, _ := q.Put(piece); !ok {
		t.Error("no room after a piece was written")
	}
	if !q.Pending() {
		t.Error("a queue with items has nothing pending")
	}
	q.Fail()
	if _, ok := q.Take(); ok || q.Pending() {
		t.Error("a failed queue returns items")
	}
	if _, failed, _ := q.Put(piece); !failed {
		t.Error("a failed queue accepts items")
	}
}
