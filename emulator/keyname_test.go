package emulator

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParseKey(t *testing.T) {
	for _, tt := range []struct {
		name  string
		want  Key
		count int
	}{
		{"enter", Key{Code: KeyEnter}, 1},
		{"Return", Key{Code: KeyEnter}, 1},
		{"TAB", Key{Code: KeyTab}, 1},
		{"escape", Key{Code: KeyEscape}, 1},
		{"Esc", Key{Code: KeyEscape}, 1},
		{"space", Key{Rune: ' '}, 1},
		{" ", Key{Rune: ' '}, 1},
		{"backspace", Key{Code: KeyBackspace}, 1},
		{"delete", Key{Code: KeyDelete}, 1},
		{"insert", Key{Code: KeyInsert}, 1},
		{"up", Key{Code: KeyUp}, 1},
		{"down", Key{Code: KeyDown}, 1},
		{"left", Key{Code: KeyLeft}, 1},
		{"right", Key{Code: KeyRight}, 1},
		{"home", Key{Code: KeyHome}, 1},
		{"end", Key{Code: KeyEnd}, 1},
		{"pageup", Key{Code: KeyPageUp}, 1},
		{"PgUp", Key{Code: KeyPageUp}, 1},
		{"page_up", Key{Code: KeyPageUp}, 1},
		{"Page Up", Key{Code: KeyPageUp}, 1},
		{"page-down", Key{Code: KeyPageDown}, 1},
		{"pgdn", Key{Code: KeyPageDown}, 1},
		{"f1", Key{Code: KeyF1}, 1},
		{"F24", Key{Code: KeyF24}, 1},
		{"kp5", Key{Code: KeyKP0 + 5}, 1},
		{"kp-enter", Key{Code: KeyKPEnter}, 1},
		{"plus", Key{Rune: '+'}, 1},
		{"star", Key{Rune: '*'}, 1},
		{"a", Key{Rune: 'a'}, 1},
		{"A", Key{Rune: 'A'}, 1},
		{"é", Key{Rune: 'é'}, 1},
		{"日", Key{Rune: '日'}, 1},
		{"😀", Key{Rune: '😀'}, 1},
		{"\uFFFD", Key{Rune: '\uFFFD'}, 1},
		{"+", Key{Rune: '+'}, 1},
		{"-", Key{Rune: '-'}, 1},
		{"*", Key{Rune: '*'}, 1},
		{"^", Key{Rune: '^'}, 1},
		{"\r", Key{Code: KeyEnter}, 1},
		{"\x1b", Key{Code: KeyEscape}, 1},
		{"\x03", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"ctrl+c", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"Ctrl+C", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"ctrl-c", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"ctrl + c", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"control+c", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"C-c", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"c-c", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"^C", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"^c", Key{Rune: 'c', Mods: Ctrl}, 1},
		{"^[", Key{Rune: '[', Mods: Ctrl}, 1},
		{"^?", Key{Rune: '?', Mods: Ctrl}, 1},
		{"^^", Key{Rune: '^', Mods: Ctrl}, 1},
		{"M-x", Key{Rune: 'x', Mods: Alt}, 1},
		{"M-X", Key{Rune: 'X', Mods: Alt}, 1},
		{"C-M-x", Key{Rune: 'x', Mods: Ctrl | Alt}, 1},
		{"S-Tab", Key{Code: KeyTab, Mods: Shift}, 1},
		{"alt+enter", Key{Code: KeyEnter, Mods: Alt}, 1},
		{"shift+f5", Key{Code: KeyF1 + 4, Mods: Shift}, 1},
		{"ctrl+alt+shift+super+delete", Key{Code: KeyDelete, Mods: Ctrl | Alt | Shift | Super}, 1},
		{"cmd+s", Key{Rune: 's', Mods: Super}, 1},
		{"ctrl++", Key{Rune: '+', Mods: Ctrl}, 1},
		{"ctrl+-", Key{Rune: '-', Mods: Ctrl}, 1},
		{"ctrl+plus", Key{Rune: '+', Mods: Ctrl}, 1},
		{"C--", Key{Rune: '-', Mods: Ctrl}, 1},
		{"ctrl+*", Key{Rune: '*', Mods: Ctrl}, 1},
		{"ctrl+space", Key{Rune: ' ', Mods: Ctrl}, 1},
		{"down*3", Key{Code: KeyDown}, 3},
		{"down * 3", Key{Code: KeyDown}, 3},
		{"star*2", Key{Rune: '*'}, 2},
		{"**2", Key{Rune: '*'}, 2},
		{"ctrl+right*10", Key{Code: KeyRight, Mods: Ctrl}, 10},
		{"^D*2", Key{Rune: 'd', Mods: Ctrl}, 2},
		{fmt.Sprintf("x*%d", MaxKeyRepeat), Key{Rune: 'x'}, MaxKeyRepeat},
	} {
		got, count, err := ParseKey(tt.name)
		if err != nil || got != tt.want || count != tt.count {
			t.Errorf("ParseKey(%q) = %+v, %d, %v; want %+v, %d", tt.name, got, count, err, tt.want, tt.count)
		}
	}
}

func TestParseKeyErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		says string
	}{
		{"", ErrUnknownKey, `""`},
		{"entre", ErrUnknownKey, `did you mean "enter"?`},
		{"ctrl+retrun", ErrUnknownKey, `"ctrl+retrun"`},
		{"ctrl+pagedwon", ErrUnknownKey, `did you mean "ctrl+pagedown"?`},
		{"f0", ErrUnknownKey, "f1 to f24"},
		{"f25", ErrUnknownKey, `"f25"`},
		{"f01", ErrUnknownKey, `"f01"`},
		{"hello", ErrUnknownKey, `"hello"; known keys are enter tab escape`},
		{":wq", ErrUnknownKey, `":wq"`},
		{"ctrl", ErrUnknownKey, `"ctrl"`},
		{"ctrl+", ErrUnknownKey, `"ctrl+"`},
		{"ctrl+ctrl", ErrUnknownKey, `"ctrl+ctrl"`},
		{"hyper+x", ErrUnknownKey, "ctrl+ alt+ shift+ super+"},
		{"c+x", ErrUnknownKey, `"c+x"`},
		{"^", nil, ""},
		{"^up", ErrUnknownKey, `"^up"`},
		{"\xff", ErrUnknownKey, `"\xff"`},
		{"\u0085", ErrUnknownKey, `"\u0085"`},
		{"*3", ErrUnknownKey, `"*3"`},
		{"down*0", ErrKeyRepeat, "1 to 1000"},
		{"down*-1", ErrKeyRepeat, `"down*-1"`},
		{"down*x", ErrKeyRepeat, `"down*x"`},
		{"down*1001", ErrKeyRepeat, `"down*1001"`},
		{"down*99999999999999999999", ErrKeyRepeat, "a number from 1"},
		{strings.Repeat("x", 1<<20), ErrUnknownKey, "…"},
	} {
		_, _, err := ParseKey(tt.name)
		if !errors.Is(err, tt.err) {
			t.Errorf("ParseKey(%.50q) error = %v, want %v", tt.name, err, tt.err)
		}
		if err != nil && (!strings.Contains(err.Error(), tt.says) || len(err.Error()) > 500) {
			t.Errorf("ParseKey(%.50q) error = %.600v, want it to contain %q in at most 500 bytes", tt.name, err, tt.says)
		}
	}
}

// TestKeyNamesParse checks that every key name listed in errors can be parsed.
func TestKeyNamesParse(t *testing.T) {
	for _, name := range keyNames() {
		if _, _, err := ParseKey(name); err != nil {
			t.Errorf("ParseKey(%q), a listed name: %v", name, err)
		}
	}
}
