package input

import (
	"errors"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

func TestSeveralLines(t *testing.T) {
	for text, want := range map[string]bool{
		"one":                     false,
		"one\n":                   false,
		"def f():\n  return 1\n":  true,
		"a\tb\r\nc":               true,
		"ls\nls /t\t":             false, // completes
		"ihello\nworld\x1b":       false, // keys
		":%s/a/b/\n:x":            false, // commands
		":set x\n\n:{\r\n:}\n":    false,
		":set x\nnot a command\n": true,
	} {
		if got := SeveralLines(text); got != want {
			t.Errorf("SeveralLines(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestCheckLines(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	for _, tt := range []struct {
		data string
		ok   bool
	}{
		{"", true}, {long, true}, {long + "\r" + long, true}, {long + "y", false}, {"a\r" + long + "y\r", false},
	} {
		if err := CheckLines([]byte(tt.data)); (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrLongLine) {
			t.Errorf("CheckLines of %d bytes: %v, want ok %v", len(tt.data), err, tt.ok)
		}
	}
}

// TestCheckKeys checks the errors for keys for which terminals have no code.
func TestCheckKeys(t *testing.T) {
	asked := emulator.Modes{ModifyOtherKeys: 2}
	for _, tt := range []struct {
		key   string
		modes emulator.Modes
		says  string // "" for no error
	}{
		{"ctrl+é", emulator.Modes{}, "ctrl+é would be typed as é"},
		{"ctrl+1", emulator.Modes{}, "ctrl+1 would be typed as 1"},
		{"super+s", emulator.Modes{}, "super+s would be typed as s"},
		{"ctrl+é", asked, ""}, {"super+s", asked, ""},
		{"ctrl+é:release", emulator.Modes{}, ""},
		{"ctrl+a", emulator.Modes{}, ""}, {"ctrl+space", emulator.Modes{}, ""}, {"ctrl+8", emulator.Modes{}, ""}, {"alt+é", emulator.Modes{}, ""}, {"ctrl+enter", emulator.Modes{}, ""},
	} {
		k, n, err := emulator.ParseKey(tt.key)
		if err != nil {
			t.Fatal(err)
		}
		in := Input{Keys: []KeyPress{{Key: k, Repeat: n}}}
		err = in.CheckKeys(tt.modes)
		if (err != nil) != (tt.says != "") || err != nil && (!errors.Is(err, ErrNoCode) || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%s: %v, want %q", tt.key, err, tt.says)
		}
	}
}

// TestInterrupts checks which inputs are let through while another call types step by step.
func TestInterrupts(t *testing.T) {
	key := func(mods emulator.Mods, r rune) KeyPress {
		return KeyPress{Key: emulator.Key{Code: emulator.KeyRune, Rune: r, Mods: mods}}
	}
	for _, tt := range []struct {
		name string
		in   Input
		want bool
	}{
		{"nothing", Input{}, false},
		{"ctrl+c", Input{Keys: []KeyPress{key(emulator.Ctrl, 'c')}}, true},
		{"ctrl+z as text, and ctrl+\\", Input{Text: "\x1a", Keys: []KeyPress{key(emulator.Ctrl, '\\')}}, true},
		{"c", Input{Keys: []KeyPress{key(0, 'c')}}, false},
		{"ctrl+alt+c", Input{Keys: []KeyPress{key(emulator.Ctrl|emulator.Alt, 'c')}}, false},
		{"ctrl+c and a word", Input{Text: "\x03", Keys: []KeyPress{{Text: "ls"}}}, true},
		{"ctrl+c and Enter", Input{Keys: []KeyPress{key(emulator.Ctrl, 'c')}, Enter: true}, true},
		{"a word and ctrl+c", Input{Text: "ls", Keys: []KeyPress{key(emulator.Ctrl, 'c')}}, false},
		{"Enter", Input{Enter: true}, false},
		{"ctrl+d", Input{Text: "\x04"}, false},
	} {
		if got := tt.in.Interrupts(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
		for _, b := range mustEncode(t, tt.in).Bursts {
			if signal := b.Kind == SignalBurst; signal && tt.name == "ctrl+d" || tt.want && !signal && b.Kind != TextBurst && !strings.Contains(tt.name, " and ") {
				t.Errorf("%s: a burst of kind %d", tt.name, b.Kind)
			}
		}
	}
}

// mustEncode encodes in for a program that has set no modes.
func mustEncode(t *testing.T, in Input) *Encoded {
	t.Helper()
	e, err := Encode(in, emulator.Modes{}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
