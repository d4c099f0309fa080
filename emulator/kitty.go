package emulator

import "fmt"

// maxKittyStack bounds the stack of the kitty keyboard protocol; when it is
// full, the oldest entry goes, as the protocol asks.
const maxKittyStack = 16

// kittyMask has the flags that the protocol defines.
const kittyMask = 31

// kittyFlags are the progressive enhancements of one screen (kitty keyboard
// protocol, "Progressive enhancement").
type kittyFlags struct {
	flags uint8
	stack [maxKittyStack]uint8
	n     int
}

func (t *Terminal) kittyNow() *kittyFlags {
	if t.scr == t.alt {
		return &t.kitty[1]
	}
	return &t.kitty[0]
}

func (t *Terminal) kittyQuery(*params) {
	t.reply(fmt.Sprintf("\x1b[?%du", t.kittyNow().flags))
}

func (t *Terminal) kittyPush(p *params) {
	k := t.kittyNow()
	if k.n == maxKittyStack {
		copy(k.stack[:], k.stack[1:])
		k.n--
	}
	k.stack[k.n] = k.flags
	k.n++
	k.flags = uint8(p.get(0, 0) & kittyMask)
}

func (t *Terminal) kittyPop(p *params) {
	k := t.kittyNow()
	for range min(p.count(0), maxKittyStack+1) {
		if k.n == 0 {
			k.flags = 0
			return
		}
		k.n--
		k.flags = k.stack[k.n]
	}
}

func (t *Terminal) kittySet(p *params) {
	k := t.kittyNow()
	f := uint8(p.get(0, 0) & kittyMask)
	switch p.get(1, 1) {
	case 1:
		k.flags = f
	case 2:
		k.flags |= f
	case 3:
		k.flags &^= f
	default:
		t.unknown()
	}
}

// modifyOtherKeys is the resource of XTMODKEYS that is kept.
const modifyOtherKeys = 4

// xtmodkeys sets modifyOtherKeys: XTMODKEYS, xterm ctlseqs.
func (t *Terminal) xtmodkeys(p *params) {
	switch {
	case p.n == 0:
		t.modOther = 0
	case p.get(0, 0) == modifyOtherKeys:
		t.modOther = min(p.get(1, 0), 2)
	default:
		t.unknown()
	}
}

// xtunmodkeys switches it off: xterm ctlseqs, "Disable key modifier options".
func (t *Terminal) xtunmodkeys(p *params) {
	if p.get(0, modifyOtherKeys) == modifyOtherKeys {
		t.modOther = 0
	}
}

// xtqmodkeys reports it: XTQMODKEYS, xterm ctlseqs.
func (t *Terminal) xtqmodkeys(p *params) {
	if p.get(0, 0) == modifyOtherKeys {
		t.reply(fmt.Sprintf("\x1b[>4;%dm", t.modOther))
	}
}
