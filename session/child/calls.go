package child

// maxCalls limits the calls that are remembered. The oldest call is forgotten first.
const maxCalls = 256

// calls records how many bytes of each of the latest calls have been typed, so that a byte is
// not typed again when a client repeats a call.
type calls struct {
	done  map[string]int64 // number of bytes typed, by the name of the call
	names []string         // of the calls in done, oldest first
}

func newCalls() *calls { return &calls{done: map[string]int64{}} }

// alreadyTyped returns how many of the n bytes of a call from offset on have been typed; 0 if call is "".
func (c *calls) alreadyTyped(call string, offset int64, n int) int {
	if call == "" {
		return 0
	}
	return int(min(max(c.done[call]-offset, 0), int64(n)))
}

// typed records that the first offset bytes of a call have been typed.
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
