package emulator

import "testing"

// keyNamed parses a valid key name.
func keyNamed(t *testing.T, name string) Key {
	t.Helper()
	k, _, err := ParseKey(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestEncodeKey(t *testing.T) {
	for _, tt := range []struct {
		key  string
		m    Modes
		want string
	}{
		{"a", Modes{}, "a"},
		{"A", Modes{}, "A"},
		{"é", Modes{}, "é"},
		{"日", Modes{}, "日"},
		{"shift+a", Modes{}, "A"},
		{"shift+1", Modes{}, "!"},
		{"shift+ä", Modes{}, "Ä"},
		{"super+a", Modes{}, "a"},
		{"alt+a", Modes{}, "\x1ba"},
		{"alt+A", Modes{}, "\x1bA"},
		{"alt+é", Modes{}, "\x1bé"},
		{"alt+a", Modes{Meta: MetaEightBit}, "á"},
		{"alt+a", Modes{Meta: MetaPlain}, "a"},
		{"alt+é", Modes{Meta: MetaEightBit}, "é"},
		{"alt+up", Modes{Meta: MetaPlain}, "\x1b[1;3A"},
		{"ctrl+a", Modes{}, "\x01"},
		{"ctrl+shift+a", Modes{}, "\x01"},
		{"ctrl+alt+a", Modes{}, "\x1b\x01"},
		{"ctrl+space", Modes{}, "\x00"},
		{"ctrl+@", Modes{}, "\x00"},
		{"ctrl+[", Modes{}, "\x1b"},
		{"ctrl+\\", Modes{}, "\x1c"},
		{"ctrl+]", Modes{}, "\x1d"},
		{"ctrl+^", Modes{}, "\x1e"},
		{"ctrl+_", Modes{}, "\x1f"},
		{"ctrl+/", Modes{}, "\x1f"},
		{"ctrl+2", Modes{}, "\x00"},
		{"ctrl+6", Modes{}, "\x1e"},
		{"ctrl+8", Modes{}, "\x7f"},
		{"^?", Modes{}, "\x7f"},
		{"ctrl+1", Modes{}, "1"},
		{"ctrl+é", Modes{}, "é"},
		{"enter", Modes{}, "\r"},
		{"enter", Modes{NewLine: true}, "\r\n"},
		{"alt+enter", Modes{}, "\x1b\r"},
		{"ctrl+enter", Modes{}, "\r"},
		{"tab", Modes{}, "\t"},
		{"shift+tab", Modes{}, "\x1b[Z"},
		{"alt+tab", Modes{}, "\x1b\t"},
		{"escape", Modes{}, "\x1b"},
		{"alt+escape", Modes{}, "\x1b\x1b"},
		{"backspace", Modes{}, "\x7f"},
		{"ctrl+backspace", Modes{}, "\b"},
		{"backspace", Modes{BackarrowSendsBS: true}, "\b"},
		{"ctrl+backspace", Modes{BackarrowSendsBS: true}, "\x7f"},
		{"alt+backspace", Modes{}, "\x1b\x7f"},
		{"up", Modes{}, "\x1b[A"},
		{"up", Modes{AppCursor: true}, "\x1bOA"},
		{"ctrl+up", Modes{AppCursor: true}, "\x1b[1;5A"},
		{"alt+left", Modes{}, "\x1b[1;3D"},
		{"home", Modes{}, "\x1b[H"},
		{"end", Modes{AppCursor: true}, "\x1bOF"},
		{"shift+end", Modes{}, "\x1b[1;2F"},
		{"insert", Modes{}, "\x1b[2~"},
		{"delete", Modes{}, "\x1b[3~"},
		{"ctrl+delete", Modes{}, "\x1b[3;5~"},
		{"pageup", Modes{}, "\x1b[5~"},
		{"super+pagedown", Modes{}, "\x1b[6;9~"},
		{"f1", Modes{}, "\x1bOP"},
		{"f4", Modes{AppCursor: true}, "\x1bOS"},
		{"shift+f1", Modes{}, "\x1b[1;2P"},
		{"f5", Modes{}, "\x1b[15~"},
		{"f6", Modes{}, "\x1b[17~"},
		{"ctrl+f12", Modes{}, "\x1b[24;5~"},
		{"f13", Modes{}, "\x1b[1;2P"},
		{"f24", Modes{}, "\x1b[24;2~"},
		{"ctrl+f13", Modes{}, "\x1b[1;6P"},
		{"begin", Modes{}, "\x1b[E"},
		{"kp5", Modes{}, "5"},
		{"kp5", Modes{AppKeypad: true}, "\x1bOu"},
		{"ctrl+kp5", Modes{AppKeypad: true}, "\x1bO5u"},
		{"kpenter", Modes{}, "\r"},
		{"kpenter", Modes{NewLine: true}, "\r\n"},
		{"kpenter", Modes{AppKeypad: true}, "\x1bOM"},
		{"kpplus", Modes{AppKeypad: true}, "\x1bOk"},
		{"kpequal", Modes{AppKeypad: true}, "\x1bOX"},
	} {
		if got := string(EncodeKey(keyNamed(t, tt.key), tt.m)); got != tt.want {
			t.Errorf("EncodeKey(%s, %+v) = %q, want %q", tt.key, tt.m, got, tt.want)
		}
	}
}

// TestEncodeKeyModifyOtherKeys compares with bytes recorded from xterm 379 with
// metaSendsEscape and altSendsEscape set, whose keys were pressed by the X
// server on a US keyboard. xterm binds Alt+Enter to an action of its own, so
// that row follows xterm's rules instead.
func TestEncodeKeyModifyOtherKeys(t *testing.T) {
	for _, tt := range []struct{ key, level0, level1, level2 string }{
		{"alt+enter", "\x1b\r", "\x1b\r", "\x1b[27;3;13~"},
		{"a", "a", "a", "a"},
		{"shift+1", "!", "!", "!"},
		{"ctrl+a", "\x01", "\x01", "\x1b[27;5;97~"},
		{"ctrl+shift+a", "\x01", "\x01", "\x1b[27;6;65~"},
		{"shift+a", "A", "A", "\x1b[27;2;65~"},
		{"alt+a", "\x1ba", "\x1ba", "\x1b[27;3;97~"},
		{"ctrl+alt+a", "\x1b\x01", "\x1b\x01", "\x1b[27;7;97~"},
		{"ctrl+1", "1", "\x1b[27;5;49~", "\x1b[27;5;49~"},
		{"ctrl+shift+1", "!", "\x1b[27;6;33~", "\x1b[27;6;33~"},
		{"ctrl+2", "\x00", "\x00", "\x1b[27;5;50~"},
		{"ctrl+;", ";", "\x1b[27;5;59~", "\x1b[27;5;59~"},
		{"ctrl+-", "-", "\x1b[27;5;45~", "\x1b[27;5;45~"},
		{"ctrl+/", "\x1f", "\x1f", "\x1b[27;5;47~"},
		{"ctrl+[", "\x1b", "\x1b", "\x1b[27;5;91~"},
		{"ctrl+space", "\x00", "\x00", "\x1b[27;5;32~"},
		{"shift+space", " ", " ", "\x1b[27;2;32~"},
		{"enter", "\x0d", "\x0d", "\x0d"},
		{"ctrl+enter", "\x0d", "\x1b[27;5;13~", "\x1b[27;5;13~"},
		{"shift+enter", "\x0d", "\x1b[27;2;13~", "\x1b[27;2;13~"},
		{"tab", "\x09", "\x09", "\x09"},
		{"ctrl+tab", "\x09", "\x1b[27;5;9~", "\x1b[27;5;9~"},
		{"shift+tab", "\x1b[Z", "\x1b[Z", "\x1b[Z"},
		{"ctrl+shift+tab", "\x1b[Z", "\x1b[Z", "\x1b[27;6;9~"},
		{"escape", "\x1b", "\x1b", "\x1b"},
		{"alt+escape", "\x1b\x1b", "\x1b\x1b", "\x1b[27;3;27~"},
		{"ctrl+escape", "\x1b", "\x1b", "\x1b[27;5;27~"},
		{"backspace", "\x7f", "\x7f", "\x7f"},
		{"ctrl+backspace", "\x08", "\x08", "\x08"},
		{"alt+backspace", "\x1b\x7f", "\x1b\x7f", "\x1b[27;3;127~"},
		{"ctrl+up", "\x1b[1;5A", "\x1b[1;5A", "\x1b[1;5A"},
		{"shift+f3", "\x1b[1;2R", "\x1b[1;2R", "\x1b[1;2R"},
		{"ctrl+delete", "\x1b[3;5~", "\x1b[3;5~", "\x1b[3;5~"},
		{"alt+shift+a", "\x1bA", "\x1bA", "\x1b[27;4;65~"},
		{"ctrl+alt+1", "\x1b1", "\x1b[27;5;49~", "\x1b[27;7;49~"},
		{"shift+backspace", "\x7f", "\x7f", "\x1b[27;2;127~"},
		{"alt+tab", "\x1b\x09", "\x1b\x09", "\x1b[27;3;9~"},
		{"ctrl+alt+space", "\x1b\x00", "\x1b\x00", "\x1b[27;7;32~"},
		{"ctrl+shift+space", "\x00", "\x00", "\x1b[27;6;32~"},
		{"ctrl+shift+/", "\x7f", "\x1b[27;6;63~", "\x1b[27;6;63~"},
		{"shift+escape", "\x1b", "\x1b", "\x1b[27;2;27~"},
		{"ctrl+shift+6", "\x1e", "\x1e", "\x1b[27;6;94~"},
		{"ctrl+shift+2", "\x00", "\x00", "\x1b[27;6;64~"},
		{"alt+shift+1", "\x1b!", "\x1b!", "\x1b[27;4;33~"},
		{"alt+f1", "\x1b[1;3P", "\x1b[1;3P", "\x1b[1;3P"},
		{"ctrl+kpenter", "\x0d", "\x0d", "\x0d"},
		{"ctrl+alt+backspace", "\x1b\x08", "\x1b\x08", "\x1b[27;7;8~"},
		{"alt+shift+tab", "\x1b[Z", "\x1b[Z", "\x1b[27;4;9~"},
		{"ctrl+alt+shift+a", "\x1b\x01", "\x1b\x01", "\x1b[27;8;65~"},
		{"ctrl+alt+/", "\x1b\x1f", "\x1b\x1f", "\x1b[27;7;47~"},
		{"shift+up", "\x1b[1;2A", "\x1b[1;2A", "\x1b[1;2A"},
		{"home", "\x1b[H", "\x1b[H", "\x1b[H"},
		{"delete", "\x1b[3~", "\x1b[3~", "\x1b[3~"},
		{"begin", "\x1b[E", "\x1b[E", "\x1b[E"},
		{"ctrl+é", "é", "\x1b[27;5;233~", "\x1b[27;5;233~"},
		{"alt+é", "\x1bé", "\x1bé", "\x1b[27;3;233~"},
		{"ctrl+shift+-", "\x1f", "\x1f", "\x1b[27;6;95~"},
		{"ctrl+shift+8", "*", "\x1b[27;6;42~", "\x1b[27;6;42~"},
		{"ctrl+8", "\x7f", "\x7f", "\x1b[27;5;56~"},
		{"ctrl+0", "0", "\x1b[27;5;48~", "\x1b[27;5;48~"},
		{"ctrl+`", "\x00", "\x00", "\x1b[27;5;96~"},
		{"ctrl+shift+`", "\x1e", "\x1e", "\x1b[27;6;126~"},
	} {
		for level, want := range []string{tt.level0, tt.level1, tt.level2} {
			if got := string(EncodeKey(keyNamed(t, tt.key), Modes{ModifyOtherKeys: level})); got != want {
				t.Errorf("EncodeKey(%s), modifyOtherKeys %d = %q, want %q", tt.key, level, got, want)
			}
		}
	}
}

func TestEncodeKeyKitty(t *testing.T) {
	const (
		alts = kittyDisambiguate | kittyAlternates
		all  = kittyDisambiguate | kittyAllKeys
		text = all | kittyText | kittyAlternates
	)
	for _, tt := range []struct {
		key   string
		flags uint8
		want  string
	}{
		{"ctrl+c", kittyEventTypes, "\x03"},
		{"up", kittyAlternates, "\x1bOA"}, // the test sets DECCKM
		{"a", kittyDisambiguate, "a"},
		{"A", kittyDisambiguate, "A"},
		{"shift+a", kittyDisambiguate, "A"},
		{"é", kittyDisambiguate, "é"},
		{"ctrl+c", kittyDisambiguate, "\x1b[99;5u"},
		{"ctrl+shift+c", kittyDisambiguate, "\x1b[99;6u"},
		{"alt+A", kittyDisambiguate, "\x1b[97;4u"},
		{"alt+a", kittyDisambiguate, "\x1b[97;3u"},
		{"super+s", kittyDisambiguate, "\x1b[115;9u"},
		{"ctrl+space", kittyDisambiguate, "\x1b[32;5u"},
		{"ctrl+plus", kittyDisambiguate, "\x1b[43;5u"},
		{"escape", kittyDisambiguate, "\x1b[27u"},
		{"alt+escape", kittyDisambiguate, "\x1b[27;3u"},
		{"enter", kittyDisambiguate, "\r"},
		{"tab", kittyDisambiguate, "\t"},
		{"backspace", kittyDisambiguate, "\x7f"},
		{"shift+enter", kittyDisambiguate, "\x1b[13;2u"},
		{"shift+tab", kittyDisambiguate, "\x1b[9;2u"},
		{"ctrl+backspace", kittyDisambiguate, "\x1b[127;5u"},
		{"up", kittyDisambiguate, "\x1b[A"},
		{"ctrl+up", kittyDisambiguate, "\x1b[1;5A"},
		{"f1", kittyDisambiguate, "\x1b[P"},
		{"f3", kittyDisambiguate, "\x1b[13~"},
		{"ctrl+f3", kittyDisambiguate, "\x1b[13;5~"},
		{"f5", kittyDisambiguate, "\x1b[15~"},
		{"f13", kittyDisambiguate, "\x1b[57376u"},
		{"f24", kittyDisambiguate, "\x1b[57387u"},
		{"delete", kittyDisambiguate, "\x1b[3~"},
		{"kp5", kittyDisambiguate, "5"},
		{"ctrl+kp5", kittyDisambiguate, "\x1b[57404;5u"},
		{"kpenter", kittyDisambiguate, "\x1b[57414u"},
		{"ctrl+shift+a", alts, "\x1b[97:65;6u"},
		{"ctrl+a", alts, "\x1b[97;5u"},
		{"ctrl+shift+/", alts, "\x1b[47:63;6u"},
		{"a", all, "\x1b[97u"},
		{"A", all, "\x1b[97;2u"},
		{"enter", all, "\x1b[13u"},
		{"tab", all, "\x1b[9u"},
		{"backspace", all, "\x1b[127u"},
		{"up", all, "\x1b[A"},
		{"kp5", all, "\x1b[57404u"},
		{"ctrl+c", kittyDisambiguate | kittyEventTypes, "\x1b[99;5u\x1b[99;5:3u"},
		{"a", kittyDisambiguate | kittyEventTypes, "a\x1b[97;1:3u"},
		{"A", kittyDisambiguate | kittyEventTypes, "A\x1b[97;2:3u"},
		{"enter", kittyDisambiguate | kittyEventTypes, "\r"},
		{"enter", all | kittyEventTypes, "\x1b[13u\x1b[13;1:3u"},
		{"up", all | kittyEventTypes, "\x1b[A\x1b[1;1:3A"},
		{"shift+f5", all | kittyEventTypes, "\x1b[15;2~\x1b[15;2:3~"},
		{"escape", kittyDisambiguate | kittyEventTypes, "\x1b[27u\x1b[27;1:3u"},
		{"kp5", kittyDisambiguate | kittyEventTypes, "5\x1b[57404;1:3u"},
		{"a", text | kittyEventTypes, "\x1b[97;;97u\x1b[97;1:3u"},
		{"w:press", all | kittyEventTypes, "\x1b[119u"},
		{"w:repeat", all | kittyEventTypes, "\x1b[119;1:2u"},
		{"w:repeat", text | kittyEventTypes, "\x1b[119;1:2;119u"},
		{"w:repeat", kittyDisambiguate | kittyEventTypes, "w"},
		{"w:release", all | kittyEventTypes, "\x1b[119;1:3u"},
		{"down:release", all | kittyEventTypes, "\x1b[1;1:3B"},
		{"w:release", all, ""}, {"w:repeat", all, "\x1b[119u"}, {"w:release", 0, ""}, {"w:repeat", 0, "w"}, {"::release", 0, ""},
		{":", 0, ":"}, {"w:press", kittyEventTypes, "w"},
		{"a", text, "\x1b[97;;97u"},
		{"shift+a", text, "\x1b[97:65;2;65u"},
		{"?", text, "\x1b[63;;63u"},
		{"é", text, "\x1b[233;;233u"},
		{"ctrl+a", text, "\x1b[97;5u"},
		{"enter", text, "\x1b[13u"},
		{"kpdot", text, "\x1b[57409;;46u"},
	} {
		m := Modes{KittyFlags: tt.flags, AppCursor: true, ModifyOtherKeys: 2}
		if tt.flags&(kittyDisambiguate|kittyAllKeys) == 0 {
			m.ModifyOtherKeys = 0
		}
		if got := string(EncodeKey(keyNamed(t, tt.key), m)); got != tt.want {
			t.Errorf("EncodeKey(%s), kitty flags %05b = %q, want %q", tt.key, tt.flags, got, tt.want)
		}
	}
}

func TestEncodeText(t *testing.T) {
	for _, tt := range []struct {
		text string
		m    Modes
		want string
	}{
		{"", Modes{}, ""},
		{"ls\n", Modes{}, "ls\r"},
		{"a\r\nb\rc", Modes{}, "a\rb\rc"},
		{"a\n", Modes{NewLine: true}, "a\r\n"},
		{"a\n", Modes{KittyFlags: kittyAllKeys}, "a\x1b[13u"},
		{"\x03\x1b[A日\xff", Modes{BracketedPaste: true}, "\x03\x1b[A日\xff"},
	} {
		if got := string(EncodeText(tt.text, tt.m)); got != tt.want {
			t.Errorf("EncodeText(%q, %+v) = %q, want %q", tt.text, tt.m, got, tt.want)
		}
	}
}
