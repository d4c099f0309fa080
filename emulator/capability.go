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

// xtgettcap answers XTGETTCAP, a request for terminfo capabilities (xterm ctlseqs). Names and values are
// in hexadecimal. The reply ends at the first unknown name. As in xterm, a key is
// reported as it is sent in the current modes.
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
	if k, ok := namedKeys[name]; ok {
		return k, true
	}
	if digits, ok := strings.CutPrefix(name, "kf"); ok {
		// Twelve keys each are plain, with Shift, Ctrl, Ctrl+Shift, Alt and Alt+Shift (terminfo
		// entry xterm+pcfkeys).
		mods := [...]Mods{0, Shift, Ctrl, Ctrl | Shift, Alt, Alt | Shift}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > 63 {
			return Key{}, false
		}
		return Key{Code: KeyF1 + KeyCode((n-1)%12), Mods: mods[(n-1)/12]}, true
	}
	// kUP is Shift+Up; kUP3 to kUP8 carry xterm's modifier parameters 3 to 8.
	if base := strings.TrimRight(name, "345678"); len(name)-len(base) == 1 {
		if k, ok := namedKeys[base]; ok && k.Mods == Shift {
			k.Mods = Mods(name[len(base)] - '1')
			return k, true
		}
	}
	return Key{}, false
}

// namedKeys maps terminfo and termcap names to keys.
var namedKeys = map[string]Key{
	"kcuu1": {Code: KeyUp}, "ku": {Code: KeyUp},
	"kcud1": {Code: KeyDown}, "kd": {Code: KeyDown},
	"kcub1": {Code: KeyLeft}, "kl": {Code: KeyLeft},
	"kcuf1": {Code: KeyRight}, "kr": {Code: KeyRight},
	"khome": {Code: KeyHome}, "kh": {Code: KeyHome},
	"kend": {Code: KeyEnd}, "@7": {Code: KeyEnd},
	"kpp": {Code: KeyPageUp}, "kP": {Code: KeyPageUp},
	"knp": {Code: KeyPageDown}, "kN": {Code: KeyPageDown},
	"kich1": {Code: KeyInsert}, "kI": {Code: KeyInsert},
	"kdch1": {Code: KeyDelete}, "kD": {Code: KeyDelete},
	"kbs": {Code: KeyBackspace}, "kb": {Code: KeyBackspace},
	"kcbt": {Code: KeyTab, Mods: Shift}, "kB": {Code: KeyTab, Mods: Shift},
	"kent": {Code: KeyKPEnter}, "@8": {Code: KeyKPEnter},
	"kUP": {Code: KeyUp, Mods: Shift}, "kri": {Code: KeyUp, Mods: Shift},
	"kDN": {Code: KeyDown, Mods: Shift}, "kind": {Code: KeyDown, Mods: Shift},
	"kLFT": {Code: KeyLeft, Mods: Shift}, "#4": {Code: KeyLeft, Mods: Shift},
	"kRIT": {Code: KeyRight, Mods: Shift}, "%i": {Code: KeyRight, Mods: Shift},
	"kHOM": {Code: KeyHome, Mods: Shift}, "#2": {Code: KeyHome, Mods: Shift},
	"kEND": {Code: KeyEnd, Mods: Shift}, "*7": {Code: KeyEnd, Mods: Shift},
	"kPRV": {Code: KeyPageUp, Mods: Shift}, "%e": {Code: KeyPageUp, Mods: Shift},
	"kNXT": {Code: KeyPageDown, Mods: Shift}, "%c": {Code: KeyPageDown, Mods: Shift},
	"kIC": {Code: KeyInsert, Mods: Shift}, "#3": {Code: KeyInsert, Mods: Shift},
	"kDC": {Code: KeyDelete, Mods: Shift}, "*4": {Code: KeyDelete, Mods: Shift},
	"k1": {Code: KeyF1}, "k2": {Code: KeyF1 + 1}, "k3": {Code: KeyF1 + 2}, "k4": {Code: KeyF1 + 3},
	"k5": {Code: KeyF1 + 4}, "k6": {Code: KeyF1 + 5}, "k7": {Code: KeyF1 + 6}, "k8": {Code: KeyF1 + 7},
	"k9": {Code: KeyF1 + 8}, "k;": {Code: KeyF1 + 9}, "F1": {Code: KeyF1 + 10}, "F2": {Code: KeyF1 + 11},
}
