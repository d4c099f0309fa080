package nearest

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	words := []string{"snap", "snapshot", "serve", "send_keys", "ls", strings.Repeat("x", maxLength+1)}
	for in, want := range map[string]string{
		"snpa": "snap", "sanp": "snap", "snapshto": "snapshot", "send-keys": "send_keys", "sendkeys": "send_keys",
		"l": "", "brew": "", "": "", "sl": "ls", "ser": "", "serv": "serve", "send": "send_keys", "keys": "", strings.Repeat("x", maxLength+1): "",
	} {
		if got := Word(in, words); got != want {
			t.Errorf("Word(%q) = %q, want %q", in, got, want)
		}
	}
}
