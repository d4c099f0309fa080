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
	if d.Others(agent) {
		t.Error("there is a draft before anything was typed")
	}
	d.Type(person, true, false)
	if !d.Others(agent) || !d.Others(other) || d.Others(person) || d.Others(Author{ID: "9", Person: true}) {
		t.Errorf("after a person has begun: %+v", d)
	}
	if err := d.Refuse("rm half"); !errors.Is(err, ErrUnfinished) || !strings.Contains(err.Error(), `Ann has begun a line and not submitted it: "rm half"`) {
		t.Error(err)
	}
	d.See(agent)
	if d.Others(agent) || !d.Others(other) {
		t.Errorf("after the agent has seen it: %+v", d)
	}
	d.Type(agent, true, false)
	if d.Others(agent) || !d.Others(other) {
		t.Errorf("after the agent has added to it: %+v", d)
	}
	d.Type(agent, false, false)
	if d.Others(other) || d.By != (Author{}) {
		t.Errorf("after it was submitted: %+v", d)
	}
	d.Type(other, true, true)
	if err := d.Refuse("secret"); strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "codex") {
		t.Error(err)
	}
}

func TestDraftSeenLimit(t *testing.T) {
	var d Draft
	d.Type(Author{ID: "me"}, true, false)
	for n := range maxSeen + 1 {
		d.See(Author{ID: fmt.Sprint(n)})
		d.See(Author{ID: fmt.Sprint(n)})
	}
	if len(d.Seen) != maxSeen || !d.Others(Author{ID: "0"}) || d.Others(Author{ID: fmt.Sprint(maxSeen)}) {
		t.Errorf("%d clients have seen it, the first is %v", len(d.Seen), d.Seen[0])
	}
}
