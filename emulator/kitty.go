package emulator

import "fmt"

// maxKittyStack is the size of the stack of the kitty keyboard protocol. As the protocol
// says, the oldest entry is dropped if the stack is full.
const maxKittyStack = 16

// kittyMask is the set of all flags that the protocol defines.
const kittyMask = 31

// kittyFlags holds the progressive enhancement flags of one screen and the stack of
// pushed flags (kitty keyboard protocol, "Progressive enhancement").
type kittyFlags struct {
	flags uint8
	stack []uint8 // at most maxKittyStack
}

// kittyState returns the flags of the current screen.
func (t *Terminal) kittyState() *kittyFlags { return &t.kitty[t.screenIndex()] }

func (t *Terminal) kittyQuery(*params) {
	t.reply(fmt.Sprintf("\x1b[?%du", t.kittyState().flags))
}

func (k *kittyFlags) push(p *params) {
	k.stack = append(k.stack, k.flags)
	k.stack = k.stack[max(0, len(k.stack)-maxKittyStack):]
	k.flags = uint8(p.get(0, 0) & kittyMask)
}

func (k *kittyFlags) pop(p *params) {
	for range min(p.count(0), maxKittyStack+1) { // a pop from the empty stack resets the flags
		k.flags = 0
		if n := len(k.stack) - 1; n >= 0 {
			k.flags, k.stack = k.stack[n], k.stack[:n]
		}
	}
}

func (k *kittyFlags) set(p *params) {
	f := uint8(p.get(0, 0) & kittyMask)
	switch p.get(1, 1) {
	case 1:
		k.flags = f
	case 2:
		k.flags |= f
	case 3:
		k.flags &^= f
	}
}

// modifyOtherKeys is the number of the only resource of XTMODKEYS that is supported.
const modifyOtherKeys = 4

// xtmodkeys sets modifyOtherKeys: XTMODKEYS, xterm ctlseqs.
func (t *Terminal) xtmodkeys(p *params) {
	switch {
	case p.n == 0:
		t.modifyOther = 0
	case p.get(0, 0) == modifyOtherKeys:
		t.modifyOther = min(p.get(1, 0), 2)
	}
}

// xtunmodkeys resets modifyOtherKeys: xterm ctlseqs, "Disable key modifier options".
func (t *Terminal) xtunmodkeys(p *params) {
	if p.get(0, modifyOtherKeys) == modifyOtherKeys {
		t.modifyOther = 0
	}
}

// xtqmodkeys reports modifyOtherKeys: XTQMODKEYS, xterm ctlseqs.
func (t *Terminal) xtqmodkeys(p *params) {
	if p.get(0, 0) == modifyOtherKeys {
		t.reply(fmt.Sprintf("\x1b[>4;%dm", t.modifyOther))
	}
}
