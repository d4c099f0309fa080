package emulator

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// capabilities is what XTGETTCAP reports in addition to keys: the terminal's name and
// the capabilities that the terminfo entry of that name lacks and programs ask for.
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

// maxCapabilities bounds the questions in one XTGETTCAP.
const maxCapabilities = 64

// xtgettcap reports terminfo capabilities: XTGETTCAP, xterm ctlseqs. Names and
// values are in hexadecimal; the first unknown one ends the answer. Keys are reported
// as they are sent in the present modes, as in xterm.
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
		if value != "" { // a flag has none
			h += "=" + strings.ToUpper(hex.EncodeToString([]byte(value)))
		}
		t.reply("\x1bP1+r" + h + "\x1b\\")
	}
}

// keyCapability returns the key that terminfo or termcap calls name.
func keyCapability(name string) (Key, bool) {
	if k, ok := namedKeys[name]; ok {
		return k, true
	}
	if digits, ok := strings.CutPrefix(name, "kf"); ok {
		n, err := strconv.Atoi(digits)
		return functionCapability(n), err == nil && n >= 1 && n <= 63
	}
	// kUP is shifted, kUP3 to kUP8 have the modifiers of that parameter.
	if base := strings.TrimRight(name, "345678"); len(name)-len(base) == 1 {
		if k, ok := namedKeys[base]; ok && k.Mods == Shift {
			k.Mods = Mods(name[len(base)] - '1')
			return k, true
		}
	}
	return Key{}, false
}

// functionCapability returns key kf1 to kf63: twelve keys each plain, with Shift,
// Control, both, Alt, and Alt and Shift (terminfo's xterm+pcfkeys).
func functionCapability(n int) Key {
	n--
	mods := [...]Mods{0, Shift, Ctrl, Ctrl | Shift, Alt, Alt | Shift}
	return Key{Code: KeyF1 + KeyCode(max(n, 0)%12), Mods: mods[min(max(n, 0)/12, len(mods)-1)]}
}

// namedKeys are the keys by their terminfo and termcap names.
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
