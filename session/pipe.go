package session

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
)

// asTerminal returns what a child wrote to a pipe as a terminal's line
// discipline would pass it on: each line feed with a carriage return (ONLCR).
func asTerminal(p []byte) []byte {
	return bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))
}

// interactive are the flags that make interpreters prompt although they have no
// terminal, by the beginning of their names.
var interactive = []struct {
	name        string
	first, last []string // where the arguments of the caller go between
}{
	{"python", nil, []string{"-u", "-i"}},
	{"bash", []string{"--noediting"}, []string{"-i"}}, // readline would echo what is typed
	{"zsh", nil, []string{"-i"}},
	{"dash", nil, []string{"-i"}},
	{"sh", nil, []string{"-i"}},
	{"fish", nil, []string{"-i"}},
	{"node", nil, []string{"-i"}},
	{"lua", nil, []string{"-i"}},
	{"sqlite3", nil, []string{"-interactive"}},
}

// withInteractive returns args with the interactive flags of a known interpreter
// that is given no program to run, and a note that says so.
func withInteractive(command string, args []string) ([]string, string) {
	base := filepath.Base(command)
	for _, k := range interactive {
		rest, ok := strings.CutPrefix(base, k.name)
		if !ok || strings.Trim(rest, "0123456789.") != "" || runsProgram(args) {
			continue
		}
		given := func(flag string) bool { return slices.Contains(args, flag) }
		first := slices.DeleteFunc(slices.Clone(k.first), given)
		last := slices.DeleteFunc(slices.Clone(k.last), given)
		if len(first)+len(last) == 0 {
			return args, ""
		}
		all := slices.Concat(first, args, last)
		return all, fmt.Sprintf("started as %s, to be interactive without a terminal", strings.Join(append([]string{base}, all...), " "))
	}
	return args, ""
}

// runsProgram reports whether an interpreter's arguments give it something to
// run: a file, or code.
func runsProgram(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return !strings.HasPrefix(a, "-") || a == "-c" || a == "-m" || a == "-e" || a == "-"
	})
}

// encodePipe returns in as bytes for a pipe, where Enter is a line feed and
// there is no echo. The last key may be ctrl+d, the end of the input.
func (s *Session) encodePipe(in Input) (*typing, error) {
	call := &typing{data: []byte(in.Text)}
	for _, k := range in.Keys {
		if call.eof || len(in.Mouse) > 0 {
			break
		}
		b, eof := pipeKey(k)
		if b == nil && !eof {
			return nil, fmt.Errorf("%w: session %s takes text, enter, tab and, as the end of its input, ctrl+d; nothing was typed", ErrPipe, s.id)
		}
		call.data = append(call.data, bytes.Repeat(b, max(k.Repeat, 1))...)
		call.eof = eof
	}
	if call.eof && in.Enter || len(in.Mouse) > 0 {
		return nil, fmt.Errorf("%w: session %s has no mouse, and nothing comes after ctrl+d; nothing was typed", ErrPipe, s.id)
	}
	if in.Enter {
		call.data = append(call.data, '\n')
	}
	if len(call.data) > maxInput {
		return nil, fmt.Errorf("%w: the input is %d bytes; one call types at most %d", ErrArgument, len(call.data), maxInput)
	}
	if n := len(call.data); n > 0 {
		call.submitted = call.data[n-1] == '\n'
	}
	call.submitted = call.submitted || call.eof
	return call, nil
}

// pipeKey returns a key as bytes for a pipe, nil when it has none; eof says that
// the key ends the input.
func pipeKey(k KeyPress) (b []byte, eof bool) {
	if k.Text != "" {
		return []byte(k.Text), false
	}
	switch key := k.Key; {
	case key.Code == emulator.KeyEnter && key.Mods == 0:
		return []byte{'\n'}, false
	case key.Code == emulator.KeyTab && key.Mods == 0:
		return []byte{'\t'}, false
	case key.Code == emulator.KeyRune && key.Mods&^emulator.Shift == 0:
		return []byte(string(key.Rune)), false
	case key.Code == emulator.KeyRune && key.Mods == emulator.Ctrl && (key.Rune == 'd' || key.Rune == 'D'):
		return nil, true
	}
	return nil, false
}

// write writes one item of input to the child; at the end of a pipe's input it
// closes it.
func (s *Session) write(it *item) (int, error) {
	in := child.Input{Data: it.data, Silent: it.call == nil}
	if it.call == nil {
		in.Replies = it.offset
	} else {
		in.Call, in.Offset = it.call.number, it.offset
		in.Silent, in.EOF = it.call.secret, it.call.eof && it.finish
		if it.first {
			in.Note = s.inputNote(it.call)
		}
	}
	return s.child.Write(in)
}
