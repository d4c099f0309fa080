package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// The headers of our messages.
const (
	headerKind  = "Glasstty-Kind"  // of an answer's message
	headerCall  = "Glasstty-Call"  // a call's identity
	headerHosts = "Glasstty-Hosts" // that a call is limited to
	headerPart  = "Glasstty-Part"  // which part of an answer, as in 2/5
	headerOwner = "Glasstty-Owner" // whose stream it is, among those of the gateway
)

// The kinds of messages with which a node answers a call.
const (
	kindBeat     = "beat"     // the call is being made
	kindProgress = "progress" // with what the handler reports
	kindPart     = "part"     // of the answer
	kindRefused  = "refused"  // with the reason
)

const (
	// headerRoom is what a message's headers take at most, in bytes.
	headerRoom = 1 << 10
	// maxAnswer bounds an answer, and maxParts the messages that it comes in.
	maxAnswer = 64 << 20
	maxParts  = 4096
	// maxIdentity bounds a call's identity.
	maxIdentity = 256
)

// newAnswer returns a message of an answer.
func newAnswer(subject, kind string, data []byte) *nats.Msg {
	msg := nats.NewMsg(subject)
	msg.Header.Set(headerKind, kind)
	msg.Data = data
	return msg
}

// parts returns an answer as messages of at most size bytes each.
func parts(subject string, answer []byte, size int) []*nats.Msg {
	n := max(1, (len(answer)+size-1)/size)
	out := make([]*nats.Msg, n)
	for i := range out {
		out[i] = newAnswer(subject, kindPart, answer[i*size:min((i+1)*size, len(answer))])
		out[i].Header.Set(headerPart, fmt.Sprintf("%d/%d", i+1, n))
	}
	return out
}

// An assembly collects the parts of an answer, which may come twice.
type assembly struct {
	parts [][]byte
	have  int
	size  int
}

// add takes a part, and reports whether the answer is whole. An answer that is not as
// it should be is an error.
func (a *assembly) add(msg *nats.Msg) (whole bool, err error) {
	i, n, ok := partOf(msg.Header.Get(headerPart))
	if !ok || a.parts != nil && n != len(a.parts) {
		return false, fmt.Errorf("part %q of an answer in %d parts", msg.Header.Get(headerPart), len(a.parts))
	}
	if a.parts == nil {
		a.parts = make([][]byte, n)
	}
	if a.parts[i-1] != nil {
		return false, nil
	}
	if a.size += len(msg.Data); a.size > maxAnswer {
		return false, fmt.Errorf("%w: the answer has more than %d bytes", ErrTooLarge, maxAnswer)
	}
	a.parts[i-1] = append(make([]byte, 0, len(msg.Data)), msg.Data...)
	a.have++
	return a.have == n, nil
}

// partOf reads a part's number and how many there are.
func partOf(text string) (i, n int, ok bool) {
	first, all, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(first)
	n, aerr := strconv.Atoi(all)
	return i, n, err == nil && aerr == nil && i >= 1 && i <= n && n <= maxParts
}

// bytes returns the answer.
func (a *assembly) bytes() []byte {
	out := make([]byte, 0, a.size)
	for _, p := range a.parts {
		out = append(out, p...)
	}
	return out
}

// nobody reports whether a message is NATS's own, which says that nobody listens.
func nobody(msg *nats.Msg) bool {
	return len(msg.Data) == 0 && msg.Header.Get("Status") == "503"
}
