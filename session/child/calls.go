package child

// maxCalls is the number of calls that are remembered, the latest ones.
const maxCalls = 256

// calls records how many bytes of each of the latest calls have been typed, so that no byte is
// typed twice.
type calls struct {
	done  map[string]int64
	names []string // of the calls in done, oldest first
}

func newCalls() *calls { return &calls{done: map[string]int64{}} }

// alreadyTyped returns how many of the n bytes from offset on in a call have already been typed.
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
		if len(c.names) == maxCalls {
			delete(c.done, c.names[0])
			c.names = c.names[1:]
		}
		c.names = append(c.names, call)
	}
	c.done[call] = offset
}
