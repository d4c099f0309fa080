package child

// maxCalls is the number of calls that are remembered, the latest ones.
const maxCalls = 256

// calls records how many bytes of each of the latest calls have been typed, so that none
// is typed twice.
type calls struct {
	done map[string]int64
	old  []string // the names, oldest first
}

func newCalls() *calls { return &calls{done: map[string]int64{}} }

// alreadyTyped returns how many of the n bytes at offset in a call have already been typed.
func (c *calls) alreadyTyped(call string, offset int64, n int) int {
	if call == "" {
		return 0
	}
	return int(min(max(c.done[call]-offset, 0), int64(n)))
}

// typed records that a call has been typed up to offset.
func (c *calls) typed(call string, offset int64) {
	if call == "" {
		return
	}
	if _, known := c.done[call]; !known {
		if len(c.old) == maxCalls {
			delete(c.done, c.old[0])
			c.old = c.old[1:]
		}
		c.old = append(c.old, call)
	}
	c.done[call] = offset
}
