package session

import (
	"errors"
	"strings"
	"testing"
)

// TestNamesAndIDs checks names of sessions that are IDs of others, or would be: a name goes on
// naming its session.
func TestNamesAndIDs(t *testing.T) {
	m := NewManager(Options{Children: &fakeOwner{}})
	t.Cleanup(func() { _ = m.Close() })
	start := func(name string) (*Session, error) {
		return m.Start(t.Context(), StartOptions{Command: "sh", Name: name})
	}
	named, err := start("s2")
	if err != nil {
		t.Fatal(err)
	}
	next, err := start("")
	if err != nil {
		t.Fatal(err)
	}
	if next.ID() == "s2" {
		t.Error("the next session's id is the name of the first")
	}
	if s, err := m.Session("s2"); err != nil || s != named {
		t.Errorf(`"s2" names %v, %v`, s, err)
	}
	if _, err := start(next.ID()); !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), next.ID()) {
		t.Errorf("a name that is an id: %v", err)
	}
	if own, err := start("s4"); err != nil || own.ID() != "s4" {
		t.Errorf("a name that becomes the session's own id: %v", err)
	}
}
