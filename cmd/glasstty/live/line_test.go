package live

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/sync/semaphore"

	"github.com/glasstty/glasstty/session"
)

// TestLineFull checks that a page that has sent more than maxWaiting waits until its first
// input is typed, and that the order stays the same.
func TestLineFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := &conn{ctx: ctx, queue: make(chan queued, maxWaiting/minWaiting), room: semaphore.NewWeighted(maxWaiting)}
		const each = maxWaiting / 4
		for i := range 4 {
			c.enqueue(&request{Action: Action{N: int64(i)}}, each)
		}
		done := make(chan bool)
		go func() { c.enqueue(&request{Action: Action{N: 4}}, each); close(done) }()
		synctest.Wait()
		select {
		case <-done:
			t.Error("a full queue accepted another request")
		default:
		}
		for i := range 5 {
			q := <-c.queue
			c.room.Release(q.size)
			if q.request.N != int64(i) {
				t.Fatalf("%d: %+v", i, q.request)
			}
		}
		<-done
		// A request larger than maxWaiting is accepted by an empty queue.
		c.enqueue(&request{}, 8*maxWaiting)
		if len(c.queue) != 1 {
			t.Error("an empty queue did not accept a large request")
		}
		cancel(nil)
		c.enqueue(&request{}, 1) // returns: the connection has ended
	})
}

// TestSlowLimit checks that a page can end at most maxSlow programs at once.
func TestSlowLimit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := dial(t, r, "ann")
	var all []*session.Session
	for range maxSlow + 1 {
		s := r.start(t, "sh", "-c", "trap '' TERM HUP; echo up; while :; do sleep 1; done")
		onScreen(t, s, "up")
		all = append(all, s)
	}
	last := 0
	for _, s := range all {
		last = c.send(map[string]any{"do": "end", "id": s.ID()})
	}
	m := c.until(func(m map[string]any) bool { return m["t"] == "failed" })
	if m["n"] != float64(last) || !strings.Contains(m["error"].(string), "at once") {
		t.Errorf("message %v", m)
	}
}

// TestInputsOf checks the list of inputs: who typed what, with the keys of a line joined,
// only the latest inputs, and only the length of secrets.
func TestInputsOf(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.start(t, "sh", "-c", "read x; stty -echo; read y; stty echo; exec cat")
	ann := session.Person{ID: "ann", Name: "ann"}
	if err := s.As(ann).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"l", "s", "\n"} {
		if _, err := s.As(ann).Type(t.Context(), session.Input{Text: key}); err != nil {
			t.Fatal(err)
		}
	}
	if reply, err := s.Exchange(t.Context(), session.Input{}, session.Wait{Timeout: patience / 2}, nil); err != nil || reply.Reason != "password" {
		t.Fatalf("%v, %+v", err, reply)
	}
	if err := s.As(ann).TypeSecret(t.Context(), "hunter2"); err != nil {
		t.Fatal(err)
	}
	if err := s.As(ann).GiveBack("", false); err != nil {
		t.Fatal(err)
	}
	ready := func() { // on a busy machine, typing all lines takes longer than one wait
		for complete := false; !complete; {
			reply, err := s.Exchange(t.Context(), session.Input{}, session.Wait{Timeout: patience}, nil)
			if err != nil {
				t.Fatal(err)
			}
			complete = reply.Reason.Complete()
		}
	}
	ready()
	read := func() ([]input, error) {
		list, err := inputs(nil, s, Visitor{})
		if err != nil {
			return nil, err
		}
		return list.([]input), nil
	}
	list, err := read()
	if err != nil || len(list) != 2 || list[0].Text != "ls\n" || list[0].By != "ann" || list[1].Text != "(secret, 7 bytes)" {
		t.Fatalf("%v, %+v", err, list)
	}
	for i := range maxInputs {
		if _, err := s.Type(t.Context(), session.Input{Text: fmt.Sprintf("%d %s\n", i, strings.Repeat("x", maxInputText))}); err != nil {
			t.Fatal(err)
		}
	}
	ready()
	if list, err = read(); err != nil {
		t.Fatal(err)
	}
	if n := len(list); n != maxInputs || !strings.HasPrefix(list[0].Text, "0 xxx") || len(list[0].Text) > maxInputText+len("…") || list[n-1].By != "" {
		t.Errorf("%d inputs, the first %+v", n, list[0])
	}
}
