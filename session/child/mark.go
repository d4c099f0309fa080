package child

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// tagName is the environment variable that holds a child's tag. Descendants that have no mark are
// recognized by the variable.
const tagName = "GLASSTTY_SESSION"

// newTag returns the tag of the next child: SESSION.NONCE-NUMBER.PID. NONCE is ownNonce, NUMBER counts
// the children of this process, and PID is this process's ID.
func newTag(id string) string {
	n := strconv.FormatInt(startedChildren.Add(1), 10)
	return id + "." + ownNonce() + "-" + n + "." + strconv.Itoa(os.Getpid())
}

// A mark is a number that the kernel attaches to a child and passes on to all its descendants.
// Neither setsid(2) nor an empty environment removes the mark. It consists of 30 bits of
// the nonce in the child's tag, and the child's number. 0 means no mark.
type mark uint64

const (
	markBit   = 1 << 62 // set in every mark, so that no real resource limit looks like a mark (see setMark)
	markOwner = 32      // index of the first of 30 bits from the owner's nonce; the lower bits are the child's number
)

// ownerMark returns the part of a mark that identifies the owner with this nonce.
func ownerMark(nonce string) mark {
	n, _ := strconv.ParseUint(nonce, 16, 64) // if nonce is not a number, n is 0 or the maximum, which no owner has
	return markBit | mark(n)<<markOwner&^(3<<62)
}

// markOf returns the mark that belongs to a tag, or 0 if the text is not a tag.
func markOf(tag string) mark {
	_, rest, _ := strings.Cut(tag, ".")
	owner, _, _ := strings.Cut(rest, ".")
	nonce, number, _ := strings.Cut(owner, "-")
	n, err := strconv.ParseUint(number, 10, markOwner)
	if err != nil {
		return 0
	}
	return ownerMark(nonce) | mark(n)
}

// marking is locked while this process itself has a mark, which the processes that it starts
// inherit. A mark belongs to the whole process, so there is one lock.
var marking sync.Mutex

// startMarked calls start, which starts a process. The process inherits the mark.
func startMarked(m mark, start func() error) error {
	marking.Lock()
	defer marking.Unlock()
	defer setMark(m)()
	return start()
}
