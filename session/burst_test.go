package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// pollsForKeys has one thread that reads keys, and another that looks for them from time to time
// and takes everything that has come since for one key, as btop does. Its argument is how many
// seconds it works before it shows a key.
const pollsForKeys = `
import collections, os, sys, threading, time, tty
tty.setraw(0)
os.write(1, b"\x1b[?1049h\x1b[Hfind: ")
keys = collections.deque()
def read():
    while True: keys.append(os.read(0, 1))
threading.Thread(target=read, daemon=True).start()
while True:
    time.sleep(0.01)
    got = b""
    while keys: got += keys.popleft()
    if got and len(sys.argv) > 1:
        done = time.monotonic() + float(sys.argv[1])
        while time.monotonic() < done: pass
    if len(got) == 1: os.write(1, got)
`

// TestPolledKeys checks that a word arrives at a program that takes no two keys at once, and at one
// that is so slow that the first two keys take longer than byKeyLimit.
func TestPolledKeys(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for name, work := range map[string][]string{"fast": nil, "slow": {fmt.Sprint(byKeyLimit.Seconds() / 2)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			typePolled(t, work...)
		})
	}
}

// typePolled types a word to pollsForKeys and checks that it arrives.
func typePolled(t *testing.T, work ...string) {
	s, _ := launch(t, newManager(t), "python3", append([]string{"-c", pollsForKeys}, work...)...)
	for _, in := range []Input{{Text: "abcd"}, {Keys: keysOf(t, "x*3")}} {
		r := exchange(t, s, in, Wait{Timeout: patience, Explain: true})
		if want := "find: abcd"; r.Screen == nil || !strings.Contains(r.Screen.Text(), want) {
			t.Errorf("no %q on the screen: %+v", want, r)
		}
	}
	if r := exchange(t, s, Input{}, Wait{Timeout: patience}); !strings.Contains(r.Screen.Text(), "find: abcdxxx") {
		t.Errorf("screen %q", r.Screen.Text())
	}
}

// TestUnreadFor checks that the note about a program that reads nothing has the time that the call
// waited for it, which is shorter if another call wants to type.
func TestUnreadFor(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "python3", "-c", "import time, tty; tty.setraw(0); print('> ', end='', flush=True); time.sleep(1000)")
	go func() {
		for s.queue.Idle() {
			time.Sleep(time.Millisecond)
		}
		_, _ = s.Type(t.Context(), Input{Text: "x"})
	}()
	r := exchange(t, s, Input{Text: "hello", Enter: true}, Wait{Until: UntilNone, Timeout: patience})
	if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "the program read nothing for ") || strings.Contains(notes, "for 2 s") {
		t.Errorf("notes %q, want a time of less than 2 s", notes)
	}
}

// TestTextAfterInterrupt checks text typed right after ctrl+c in the same call. readline throws
// away what arrives together with the ctrl+c, so a part of the line could be lost.
func TestTextAfterInterrupt(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]Input{
		"keys": {Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyRune, Rune: 'c', Mods: emulator.Ctrl}}, {Text: "echo whole"}}, Enter: true},
		"text": {Text: "\x03echo whole", Enter: true},
	} {
		s, _ := launch(t, newManager(t), need.Program(t, "bash"), "--norc")
		for range 5 {
			exchange(t, s, Input{Text: "cancelled "}, Wait{Timeout: patience})
			if r := exchange(t, s, in, Wait{Timeout: patience}); r.Output != "whole" {
				t.Errorf("%s: output %q", name, r.Output)
			}
		}
	}
}
