package session

import (
	"errors"
	"strings"
	"testing"
	"time"
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
	if _, err := start("build7/py"); !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), `"build7/py"`) || !strings.Contains(err.Error(), `give "build7-py"`) {
		t.Errorf("a name that looks like a session of another node: %v", err)
	}
	if own, err := start("s4"); err != nil || own.ID() != "s4" {
		t.Errorf("a name that becomes the session's own id: %v", err)
	}
}

// TestRestoredName checks that a restored session does not keep a name that looks like the address
// of a session on another node.
func TestRestoredName(t *testing.T) {
	m := NewManager(Options{Children: &fakeOwner{}})
	t.Cleanup(func() { _ = m.Close() })
	s := newSession(m, "s1", StartOptions{Command: "sh", Name: "build7/py"}, "", time.Now())
	if got := s.opt.Name; got != "build7-py" {
		t.Errorf("name %q", got)
	}
}

// TestSharedName checks that the first reply says when another running session has the same name.
func TestSharedName(t *testing.T) {
	t.Parallel()
	m := managerOf(t, Options{})
	for i, want := range []string{"", `session s1 is named "both" too`} {
		s, err := m.Start(t.Context(), StartOptions{Command: "cat", Name: "both"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Exchange(t.Context(), Input{}, Wait{Until: UntilNone}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, want) || want == "" && notes != "" {
			t.Errorf("start %d: notes %q, want %q", i, notes, want)
		}
	}
}
