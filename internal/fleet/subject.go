package fleet

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// root is the first token of all subjects.
const root = "glasstty"

// The verbs of messages to nodes.
const (
	verbWho    = "who"    // asks for a node's state
	verbCall   = "call"   // makes a call, or repeats it
	verbCancel = "cancel" // cancels a call
	verbDrain  = "drain"  // makes a node stop or resume taking new sessions
	verbStream = "stream" // carries a message of a stream
)

// anyInstance stands for an instance that the sender of a request does not know. In the reply subject
// of a question to all nodes, anyInstance stands for the name of the node that replies.
const anyInstance = "_"

// The indexes of tokens in subjects, from 0.
const (
	nodeIndex     = 2 // NODE in glasstty.from.NODE.…
	senderIndex   = 5 // SENDER in glasstty.to.NODE.INSTANCE.VERB.SENDER
	replyKeyIndex = 6 // KEY in glasstty.from.NODE.re.SENDER.INSTANCE.KEY
	whoIndex      = 2 // SENDER in glasstty.who.SENDER
)

// join returns the subject with the given tokens after root.
func join(tokens ...string) string { return root + "." + strings.Join(tokens, ".") }

// token returns a token of a subject, or "" if the subject has fewer tokens.
func token(subject string, i int) string {
	parts := strings.Split(subject, ".")
	if i >= len(parts) {
		return ""
	}
	return parts[i]
}

// stateSubject returns the subject on which a node announces its state.
func stateSubject(node string) string { return join("from", node, "state") }

// replyPrefix returns the prefix of the subjects on which a node replies to a member.
func replyPrefix(node, member, instance string) string {
	return join("from", node, "re", member, instance)
}

// requestSubject returns the subject of a request to a node.
func requestSubject(node, instance, verb, sender string) string {
	return join("to", node, instance, verb, sender)
}

// maxName is the maximum length of a member's name, in bytes.
const maxName = 64

// nameForm matches the names of members. A name is one token of a subject, and is put before a slash
// in session IDs.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$`) })

// CheckName returns an error if name is not a valid member name.
func CheckName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the node's name has %d bytes; the maximum is %d", len(name), maxName)
	case !nameForm().MatchString(name) || name == anyInstance || strings.HasPrefix(name, "-"):
		return fmt.Errorf("invalid node name %q (want letters, digits, - and _, but not - at the start or _ alone; example: build-7)", name)
	}
	return nil
}

// DefaultName returns a node's default name: the first part of the machine's name, with a hyphen
// for each invalid character, without hyphens at the start, and cut to maxName bytes. The result
// may be invalid (see CheckName), for example empty.
func DefaultName(machine string) string {
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
