package fleet

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// root begins all subjects.
const root = "glasstty"

// The verbs of a message to a node.
const (
	verbWho    = "who"
	verbCall   = "call"
	verbCancel = "cancel"
	verbDrain  = "drain"
	verbStream = "stream"
)

// anyInstance stands in a subject for the instance, where the sender does not know it.
const anyInstance = "_"

// The positions of what is read out of subjects, which are divided by dots.
const (
	nodePlace   = 2 // of glasstty.from.NODE.…
	senderPlace = 5 // of glasstty.to.NODE.INSTANCE.VERB.SENDER, and of glasstty.from.NODE.re.SENDER.…
	replyPlace  = 4
	whoPlace    = 2 // of glasstty.who.SENDER
	verbPlace   = 4
)

// join returns a subject.
func join(tokens ...string) string { return root + "." + strings.Join(tokens, ".") }

// token returns one of a subject's parts, "" where it has fewer.
func token(subject string, place int) string {
	parts := strings.Split(subject, ".")
	if place >= len(parts) {
		return ""
	}
	return parts[place]
}

// stateOf is where a node says how it is.
func stateOf(node string) string { return join("from", node, "state") }

// repliesTo begins the subjects on which a node answers a member.
func repliesTo(node, member, instance string) string {
	return join("from", node, "re", member, instance)
}

// toNode is where something is asked of a node.
func toNode(node, instance, verb, sender string) string {
	return join("to", node, instance, verb, sender)
}

// maxName bounds the name of a member, in bytes.
const maxName = 64

// nameForm is the form of names: one token of a subject, and no part of a session's id.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$`) })

// CheckName returns an error when a name is not one that a member can have.
func CheckName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the node's name has %d characters, at most %d are allowed", len(name), maxName)
	case !nameForm().MatchString(name) || name == anyInstance || strings.HasPrefix(name, "-"):
		return fmt.Errorf("invalid node name %q (letters, digits, - and _ are allowed, not - at the beginning, nor _ alone; example: build-7)", name)
	}
	return nil
}

// NameOf returns the name that a node has on a machine, where none is given: the first
// part of the machine's name.
func NameOf(machine string) string {
	first, _, _ := strings.Cut(machine, ".")
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && nameForm().MatchString(string(r)) {
			return r
		}
		return '-'
	}, first)
	name = strings.TrimLeft(name, "-")
	return name[:min(len(name), maxName)]
}
