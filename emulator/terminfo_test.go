package emulator

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// terminfo reads the terminfo entry that we advertise, including extended
// capabilities. The escapes of string capabilities are resolved. A boolean
// capability has the value "".
func terminfo(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command(need.Program(t, "infocmp"), "-1", "-x", "xterm-256color").Output()
	if err != nil {
		t.Fatalf("infocmp: %v", err)
	}
	caps := map[string]string{}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ",")
		if name, value, ok := strings.Cut(line, "="); ok {
			caps[name] = unescapeTerminfo(value)
		} else if name, value, ok := strings.Cut(line, "#"); ok && name != "" {
			caps[name] = value
		} else {
			caps[line] = ""
		}
	}
	return caps
}

// unescapeTerminfo resolves the escapes of terminfo(5).
func unescapeTerminfo(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '^' && i+1 < len(s):
			i++
			b.WriteByte(s[i] ^ 0x40)
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		case s[i+1] >= '0' && s[i+1] <= '7' && i+3 < len(s):
			n, _ := strconv.ParseUint(s[i+1:i+4], 8, 8)
			b.WriteByte(byte(n))
			i += 3
		default:
			i++
			const from, to = "EenlrtbfsA", "\x1b\x1b\n\n\r\t\b\f "
			if j := strings.IndexByte(from, s[i]); j >= 0 && j < len(to) {
				b.WriteByte(to[j])
			} else {
				b.WriteByte(s[i])
			}
		}
	}
	return b.String()
}

// TestKeysAsTerminfoHasThem checks that the encodings of keys agree with
// terminfo. The key capabilities describe keys in the modes that smkx sets:
// application cursor keys and application keypad.
func TestKeysAsTerminfoHasThem(t *testing.T) {
	caps := terminfo(t)
	m := Modes{AppCursor: true, AppKeypad: true}
	want := map[string]string{
		"kcuu1": "up", "kcud1": "down", "kcub1": "left", "kcuf1": "right",
		"khome": "home", "kend": "end", "kpp": "pageup", "knp": "pagedown",
		"kich1": "insert", "kdch1": "delete", "kbs": "backspace", "kcbt": "shift+tab",
		"kent": "kpenter", "kri": "shift+up", "kind": "shift+down", "kbeg": "begin", "kp5": "begin",
		"ka1": "kp7", "ka2": "kp8", "ka3": "kp9", "kb1": "kp4", "kb2": "kp5", "kb3": "kp6",
		"kc1": "kp1", "kc2": "kp2", "kc3": "kp3", "kpZRO": "kp0",
		"kpADD": "kpplus", "kpSUB": "kpminus", "kpMUL": "kpstar", "kpDIV": "kpslash",
		"kpCMA": "kpcomma", "kpDOT": "kpdot",
	}
	// Extended capabilities end in xterm's modifier parameter. Without a number
	// they mean the key with Shift.
	for name, key := range map[string]string{
		"kDC": "delete", "kEND": "end", "kHOM": "home", "kIC": "insert", "kLFT": "left",
		"kNXT": "pagedown", "kPRV": "pageup", "kRIT": "right", "kUP": "up", "kDN": "down",
	} {
		want[name] = "shift+" + key
		for param, mods := range map[string]string{
			"3": "alt+", "4": "alt+shift+", "5": "ctrl+", "6": "ctrl+shift+", "7": "ctrl+alt+",
		} {
			want[name+param] = mods + key
		}
	}
	// Function keys above 12 are the first twelve with modifiers, in groups.
	for i, mods := range []string{"", "shift+", "ctrl+", "ctrl+shift+", "alt+", "alt+shift+"} {
		for n := 1; n <= 12 && i*12+n <= 63; n++ {
			want["kf"+strconv.Itoa(i*12+n)] = mods + "f" + strconv.Itoa(n)
		}
	}
	for name, key := range want {
		seq, there := caps[name]
		if there && string(EncodeKey(keyNamed(t, key), m)) != seq {
			t.Errorf("%s: EncodeKey(%s) = %q, terminfo has %q", name, key, EncodeKey(keyNamed(t, key), m), seq)
		}
	}
	for n := 13; n <= 24; n++ {
		name := "f" + strconv.Itoa(n)
		if got := string(EncodeKey(keyNamed(t, name), m)); got != caps["k"+name] {
			t.Errorf("EncodeKey(%s) = %q, terminfo has %q", name, got, caps["k"+name])
		}
	}
	checked := 0
	for name, seq := range caps {
		if strings.HasPrefix(name, "k") && seq != "" && name != "km" && name != "kmous" {
			checked++
			if want[name] == "" {
				t.Errorf("no key was compared with the capability %s=%q", name, seq)
			}
		}
	}
	if checked < 60 {
		t.Errorf("got only %d key capabilities; was the terminfo entry parsed correctly?", checked)
	}
}

// TestPasteAndMouseAsTerminfoHasThem checks that bracketed paste and mouse
// reports agree with the extended capabilities of terminfo.
func TestPasteAndMouseAsTerminfoHasThem(t *testing.T) {
	caps := terminfo(t)
	got := string(EncodePaste("x", Modes{BracketedPaste: true}))
	if start, end := caps["PS"], caps["PE"]; start != "" && got != start+"x"+end {
		t.Errorf("EncodePaste = %q, terminfo has %q and %q", got, start, end)
	}
	report, err := EncodeMouse(Mouse{Button: 1}, Modes{Mouse: MouseNormal, MouseEncoding: MouseSGR})
	if kmous := caps["kmous"]; err != nil || !strings.HasPrefix(string(report), kmous) {
		t.Errorf("EncodeMouse = %q, %v; terminfo says it begins with %q", report, err, kmous)
	}
}
