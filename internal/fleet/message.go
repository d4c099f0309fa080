package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// The headers of our messages.
const (
	headerKind  = "Glasstty-Kind"  // the kind of a message, see below
	headerCall  = "Glasstty-Call"  // a call's identity, the same in all its repetitions
	headerHosts = "Glasstty-Hosts" // the hosts that a call or stream is limited to
	headerPart  = "Glasstty-Part"  // the part's number and the number of parts, such as 2/5
	headerOwner = "Glasstty-Owner" // the owner of a stream, unique within the gateway
)

// The kinds of messages. All but kindPiece answer a call.
const (
	kindBeat     = "beat"     // the call is still running
	kindProgress = "progress" // a progress report of the handler
	kindPart     = "part"     // a part of the answer
	kindRefused  = "refused"  // the reason why the call is not run
	kindPiece    = "piece"    // a piece of a recording
)

const (
	// headerRoom is the number of bytes of a message that are reserved for its headers.
	headerRoom = 1 << 10
	// maxAnswer is the maximum size of an answer in bytes, and maxParts the maximum number
	// of its messages.
	maxAnswer = 64 << 20
	maxParts  = 4096
	// maxIdentity is the maximum length of a call's identity, in bytes.
	maxIdentity = 256
)

// newAnswer returns a message that answers a call.
func newAnswer(subject, kind string, data []byte) *nats.Msg {
	msg := nats.NewMsg(subject)
	msg.Header.Set(headerKind, kind)
	msg.Data = data
	return msg
}

// parts splits an answer into messages with at most size bytes each.
func parts(subject string, answer []byte, size int) []*nats.Msg {
	n := max(1, (len(answer)+size-1)/size)
	out := make([]*nats.Msg, n)
	for i := range out {
		out[i] = newAnswer(subject, kindPart, answer[i*size:min((i+1)*size, len(answer))])
		out[i].Header.Set(headerPart, fmt.Sprintf("%d/%d", i+1, n))
	}
	return out
}

// An assembly collects the parts of an answer. The same part may arrive twice.
type assembly struct {
	parts [][]byte // nil for those that have not arrived
	have  int      // number of parts that have arrived
	size  int      // bytes that have arrived
}

// add adds a part, and reports whether the answer is complete. It returns an error if the parts are
// inconsistent or too large.
func (a *assembly) add(msg *nats.Msg) (complete bool, err error) {
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

// partOf parses the number of a part and the number of parts.
func partOf(text string) (i, n int, ok bool) {
	first, all, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(first)
	n, aerr := strconv.Atoi(all)
	return i, n, err == nil && aerr == nil && i >= 1 && i <= n && n <= maxParts
}

// noResponders reports whether a message is NATS's own report that a subject has no subscriber.
func noResponders(msg *nats.Msg) bool {
	return len(msg.Data) == 0 && msg.Header.Get("Status") == "503"
}
