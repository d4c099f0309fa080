package emulator

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// capabilities lists what XTGETTCAP reports in addition to keys: the terminal's name, and the
// other capabilities that programs query.
var capabilities = map[string]string{
	"TN": "xterm-256color", "name": "xterm-256color",
	"Co": "256", "colors": "256",
	"RGB": "8/8/8", "Tc": "", "Su": "", "bce": "", "ut": "",
	"Ms": "\x1b]52;%p1%s;%p2%s\x07",
	"Se": "\x1b[2 q", "Ss": "\x1b[%p1%d q",
	"Smulx":   "\x1b[4:%p1%dm",
	"Setulc":  "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m",
	"setrgbf": "\x1b[38:2:%p1%d:%p2%d:%p3%dm",
	"setrgbb": "\x1b[48:2:%p1%d:%p2%d:%p3%dm",
	"smxx":    "\x1b[9m", "rmxx": "\x1b[29m", "Smol": "\x1b[53m", "Rmol": "\x1b[55m",
	"indn": "\x1b[%p1%dS", "rin": "\x1b[%p1%dT", "hpa": "\x1b[%i%p1%dG", "vpa": "\x1b[%i%p1%dd",
	"BE": "\x1b[?2004h", "BD": "\x1b[?2004l", "PS": "\x1b[200~", "PE": "\x1b[201~",
	"fe": "\x1b[?1004h", "fd": "\x1b[?1004l", "kxIN": "\x1b[I", "kxOUT": "\x1b[O",
	"Sync": "\x1b[?2026%?%p1%{1}%-%tl%eh%;",
}

// maxCapabilities is the maximum number of names in one XTGETTCAP request.
const maxCapabilities = 64

// xtgettcap answers XTGETTCAP, a request for terminfo capabilities (xterm ctlseqs). Names and
// values are in hexadecimal. Each name gets a reply. The first name that is unknown, or is beyond
// maxCapabilities, gets an error reply, and the names after it get none. As in xterm, the value of
// a key is what the key sends in the current modes.
func (t *Terminal) xtgettcap(arg string) {
	for i, h := range strings.Split(arg, ";") {
		name, err := hex.DecodeString(h)
		value, ok := capabilities[string(name)]
		if k, isKey := keyCapability(string(name)); isKey {
			k.Event = KeyPress
			value, ok = string(EncodeKey(k, t.Modes())), true
		}
		if err != nil || !ok || i == maxCapabilities {
			t.reply("\x1bP0+r\x1b\\")
			return
		}
		if value != "" { // boolean capabilities have no value
			h += "=" + strings.ToUpper(hex.EncodeToString([]byte(value)))
		}
		t.reply("\x1bP1+r" + h + "\x1b\\")
	}
}

// keyCapability returns the key with the given terminfo or termcap name.
func keyCapability(name string) (Key, bool) {
	for _, r := range keyTable {
		switch {
		case hasWord(r.plain, name):
			return Key{Code: r.code}, true
		case hasWord(r.shifted, name):
			return Key{Code: r.code, Mods: Shift}, true
		}
	}
	if digits, ok := strings.CutPrefix(name, "kf"); ok {
		// kf1 to kf12 have no modifiers. The next twelve have Shift, the next Ctrl, then
		// Ctrl+Shift, Alt and Alt+Shift (terminfo entry xterm+pcfkeys).
		mods := [...]Mods{0, Shift, Ctrl, Ctrl | Shift, Alt, Alt | Shift}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > 63 {
			return Key{}, false
		}
		return Key{Code: KeyF1 + KeyCode((n-1)%12), Mods: mods[(n-1)/12]}, true
	}
	// kUP is Shift+Up; kUP3 to kUP8 carry xterm's modifier parameters 3 to 8.
	if base := strings.TrimRight(name, "345678"); len(name)-len(base) == 1 {
		if k, ok := keyCapability(base); ok && k.Mods == Shift {
			k.Mods = Mods(name[len(base)] - '1')
			return k, true
		}
	}
	return Key{}, false
}
