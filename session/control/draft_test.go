package control

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestDraft(t *testing.T) {
	agent, other, person := Author{ID: "1"}, Author{ID: "2", Name: "codex"}, Author{ID: "1", Name: "Ann", Person: true}
	var d Draft
	if d.UnseenBy(agent) {
		t.Error("there is a draft before anything was typed")
	}
	d.SetTyped(person, true, false)
	if !d.UnseenBy(agent) || !d.UnseenBy(other) || d.UnseenBy(person) || d.UnseenBy(Author{ID: "9", Person: true}) {
		t.Errorf("after a person has begun: %+v", d)
	}
	if err := d.Error("rm half"); !errors.Is(err, ErrUnfinished) || !strings.Contains(err.Error(), `Ann has begun a line and not submitted it: "rm half"`) {
		t.Error(err)
	}
	d.MarkSeen(agent)
	if d.UnseenBy(agent) || !d.UnseenBy(other) {
		t.Errorf("after the agent has seen it: %+v", d)
	}
	d.SetTyped(agent, true, false)
	if d.UnseenBy(agent) || !d.UnseenBy(other) {
		t.Errorf("after the agent has added to it: %+v", d)
	}
	d.SetTyped(agent, false, false)
	if d.UnseenBy(other) || d.By != (Author{}) {
		t.Errorf("after it was submitted: %+v", d)
	}
	d.SetTyped(other, true, true)
	if err := d.Error("secret"); strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "codex") {
		t.Error(err)
	}
}

func TestDraftSeenLimit(t *testing.T) {
	var d Draft
	d.SetTyped(Author{ID: "me"}, true, false)
	for n := range maxSeen + 1 {
		d.MarkSeen(Author{ID: fmt.Sprint(n)})
		d.MarkSeen(Author{ID: fmt.Sprint(n)})
	}
	if len(d.Seen) != maxSeen || !d.UnseenBy(Author{ID: "0"}) || d.UnseenBy(Author{ID: fmt.Sprint(maxSeen)}) {
		t.Errorf("%d clients have seen it, the first is %v", len(d.Seen), d.Seen[0])
	}
}
