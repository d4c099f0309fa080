package emulator

// Limits on the parameters of a control sequence, and the value of a missing one.
const (
	maxParams  = 64    // parameters and subparameters together; further ones are dropped
	maxParam   = 65535 // the largest value; larger ones are reduced to maxParam
	paramUnset = -1
)

// params holds the parameters of a control sequence (ECMA-48 5.4.2), with subparameters
// after colons (ISO 8613-6).
type params struct {
	val      [maxParams]int32 // paramUnset if the value is missing
	sub      [maxParams]bool  // the value follows a colon
	n        int              // number of parameters and subparameters
	overflow bool             // parameters beyond maxParams were dropped
	colons   bool             // there are subparameters
}

func (p *params) reset() { p.n, p.overflow, p.colons = 0, false, false }

// digit adds a decimal digit to the last parameter.
func (p *params) digit(d byte) {
	if p.n == 0 {
		p.add(false)
	}
	if p.overflow {
		return
	}
	v := &p.val[p.n-1]
	*v = min(max(*v, 0)*10+int32(d-'0'), maxParam)
}

// separate ends a parameter. sub reports whether the separator was a colon.
func (p *params) separate(sub bool) {
	if p.n == 0 {
		p.add(false)
	}
	p.add(sub)
	p.colons = p.colons || sub
}

func (p *params) add(sub bool) {
	if p.n == maxParams {
		p.overflow = true
		return
	}
	p.val[p.n], p.sub[p.n] = paramUnset, sub
	p.n++
}

// get returns parameter i, or def if it is missing.
func (p *params) get(i, def int) int {
	if i >= p.n || p.val[i] == paramUnset {
		return def
	}
	return int(p.val[i])
}

// count returns parameter i as a count: if it is missing or 0, the count is 1.
func (p *params) count(i int) int { return max(1, p.get(i, 1)) }

// nextParam returns the index of the parameter after parameter i and its subparameters.
func (p *params) nextParam(i int) int {
	for i++; i < p.n && p.sub[i]; i++ {
	}
	return i
}
