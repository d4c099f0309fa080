package attach

import (
	"fmt"
	"unicode/utf8"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// pendingKeys holds the number of keys in each request that the server has not answered, by the number
// of the request. Its size is limited, because the server reads no further requests while too much input
// waits to be typed.
type pendingKeys map[int64]int

// add adds the keys of request n.
func (p pendingKeys) add(n int64, keys []live.Key) {
	for _, k := range keys {
		p[n] += max(utf8.RuneCountInString(k.Text), 1)
	}
}

// answered removes the request that m answers.
func (p pendingKeys) answered(m *live.Message) {
	if m.Type == "done" || m.Type == "failed" {
		delete(p, m.N)
	}
}

// addTo adds the number of unanswered keys, which may not have been typed, to err, unless it is 0. It does
// not show the keys, which may be a secret.
func (p pendingKeys) addTo(err error) error {
	keys := 0
	for _, n := range p {
		keys += n
	}
	switch keys {
	case 0:
		return err
	case 1:
		return fmt.Errorf("%w. Perhaps not typed: 1 key", err)
	}
	return fmt.Errorf("%w. Perhaps not typed: %d keys", err, keys)
}
