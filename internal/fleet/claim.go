package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// claimTime is the time that a node waits for objections when it claims a name.
	claimTime = 300 * time.Millisecond
	// nameTime is the time that a node waits for another node with its name to leave, such
	// as the server that it replaces.
	nameTime = 5 * time.Second
)

// claim announces that this node claims its name, and repeats this until no other node objects within
// claimTime. If another node still objects after nameTime, the error wraps ErrNameTaken.
func (s *service) claim(ctx context.Context) error {
	limit := time.Now().Add(nameTime)
	for {
		if err := s.announce(State{Claim: true}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.m.ctx.Done():
			return ErrLeft
		case <-time.After(claimTime):
			return nil
		case other := <-s.rivals:
			if time.Now().After(limit) {
				return fmt.Errorf("%w: a node named %q is in the fleet already (%s, %d sessions); set another --node for this one",
					ErrNameTaken, s.m.opt.Name, strings.Join(other.LabelList(), ","), other.Sessions)
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(claimTime):
		}
	}
}

// handleRival handles the state of another node with our name. The node that has had the name
// longer keeps it. handleRival has its own subscription, because NATS may permit a node to read
// only the states under its own name.
func (s *service) handleRival(msg *nats.Msg) {
	other, ok := readState(msg.Subject, msg.Data)
	if !ok || other.Instance == s.m.instance || other.Leaving {
		return
	}
	if !s.serving() {
		if other.Claim && other.Instance > s.m.instance {
			return // both nodes claim the name; the one with the smaller instance, ours, gets it
		}
		select {
		case s.rivals <- other:
		default:
		}
		return
	}
	age := time.Since(s.since).Milliseconds()
	if !other.Claim && (other.Age > age || other.Age == age && other.Instance < s.m.instance) {
		s.m.log.Error("fleet: another node had this name first, so this one accepts no more calls from the fleet; restart it with another --node",
			"node", s.m.opt.Name, "other", strings.Join(other.LabelList(), ","))
		s.end()
		return
	}
	if err := s.announce(State{}); err != nil {
		s.m.log.Warn("fleet: announce", "err", err)
	}
}
