package control

import (
	"fmt"
	"slices"
)

// An Author is a person who types, or a client that makes tool calls.
type Author struct {
	ID     string // unique among people or among clients; a person and a client may have the same ID
	Name   string // name shown to other authors
	Person bool   // the author is a person, not a client
}

// String returns the author's name, or a description.
func (a Author) String() string {
	switch {
	case a.Name != "":
		return a.Name
	case a.Person:
		return "a person"
	}
	return "another client"
}

// PersonName returns the name of a person, or "" for a client.
func (a Author) PersonName() string {
	if !a.Person {
		return ""
	}
	return a.String()
}

// is reports whether a and b are the same author. Names need not be unique.
func (a Author) is(b Author) bool { return a.ID == b.ID && a.Person == b.Person }

// maxSeen is the maximum length of Draft.Seen. If more authors see the line, those who saw it first
// are forgotten, and must look again.
const maxSeen = 64

// A Draft is a line that was begun and not submitted. It can be encoded as JSON.
type Draft struct {
	Begun  bool     `json:",omitempty"`
	By     Author   // the author who typed last; zero if no line is begun
	Hidden bool     `json:",omitempty"` // the line must not be shown, because it may be secret
	Seen   []Author `json:",omitempty"` // other authors who have seen the line
}

// SetTyped records that a has typed. begun says that there is now a line that was not submitted,
// and hidden that the line must not be shown. The line has changed, so nobody else has seen it.
func (d *Draft) SetTyped(a Author, begun, hidden bool) {
	if *d = (Draft{Begun: begun, Hidden: hidden}); begun {
		d.By = a
	}
}

// MarkSeen records that a has seen the line. If no line is begun, it does nothing.
func (d *Draft) MarkSeen(a Author) {
	if !d.Begun || d.By.is(a) || slices.ContainsFunc(d.Seen, a.is) {
		return
	}
	if len(d.Seen) == maxSeen {
		d.Seen = d.Seen[1:]
	}
	d.Seen = append(d.Seen, a)
}

// UnseenBy reports whether another author typed last, and a is a client that has not seen the line.
// For a person it is false, because people see the screen that they type into.
func (d *Draft) UnseenBy(a Author) bool {
	return d.Begun && !a.Person && !d.By.is(a) && !slices.ContainsFunc(d.Seen, a.is)
}

// Error returns the error for a client that would add to the line without having seen it. text is
// the text of the line.
func (d *Draft) Error(text string) error {
	if d.Hidden {
		text = "text that is not shown"
	} else {
		text = fmt.Sprintf("%q", text)
	}
	return fmt.Errorf("%w: %s has begun a line and not submitted it: %s is there, and this input would be added to it; "+
		"look at the screen, then clear the line (send_keys ctrl+u or ctrl+c), or send the input again to add to the line",
		ErrUnfinished, d.By, text)
}
