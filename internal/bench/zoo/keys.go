package main

import (
	"strconv"
	"strings"
)

// A press is one key by its name, or text that is typed literally.
type press struct {
	name  string // "" for text
	text  string
	paste bool // the text is pasted, in brackets where the program asks for them
}

// keyNames are the names that scripts use, with tmux's names for them.
var keyNames = map[string]string{
	"enter": "Enter", "tab": "Tab", "escape": "Escape", "space": "Space", "backspace": "BSpace",
	"delete": "DC", "insert": "IC", "up": "Up", "down": "Down", "left": "Left", "right": "Right",
	"home": "Home", "end": "End", "pageup": "PPage", "pagedown": "NPage",
	"f1": "F1", "f2": "F2", "f3": "F3", "f4": "F4", "f5": "F5", "f6": "F6", "f7": "F7", "f8": "F8", "f9": "F9", "f10": "F10",
}

// modifiers are the prefixes of key names, with tmux's.
var modifiers = map[string]string{"ctrl+": "C-", "alt+": "M-", "shift+": "S-"}

// tmuxName returns tmux's name of a named key, and whether name is one.
func tmuxName(name string) (string, bool) {
	for ours, theirs := range modifiers {
		if rest, ok := strings.CutPrefix(name, ours); ok && rest != "" {
			if key, ok := tmuxName(rest); ok {
				return theirs + key, true
			}
			return theirs + rest, len(rest) == 1
		}
	}
	key, ok := keyNames[name]
	return key, ok
}

// repeats returns a key's name and how often it is pressed: twice for down*2.
func repeats(key string) (name string, n int) {
	if at := strings.LastIndexByte(key, '*'); at > 0 {
		if n, err := strconv.Atoi(key[at+1:]); err == nil {
			return key[:at], n
		}
	}
	return key, 1
}

// presses returns the step's input key by key: repeats are written out, and an
// Enter comes after a line.
func (s *step) presses() []press {
	var out []press
	for _, k := range s.keys {
		name, n := repeats(k)
		p := press{text: name}
		if _, named := tmuxName(name); named {
			p = press{name: name}
		}
		for range n {
			out = append(out, p)
		}
	}
	if s.text != "" && s.verb != "wait" {
		out = append(out, press{text: s.text})
	}
	if s.verb == "line" || s.verb == "start" && s.text != "" {
		out = append(out, press{name: "enter"})
	}
	return out
}

// single returns presses with each character of a text as its own press. Text of
// several lines is pasted, because nobody types it into a program that indents by
// itself.
func single(all []press) []press {
	var out []press
	for _, p := range all {
		if p.name != "" {
			out = append(out, p)
			continue
		}
		if strings.Contains(p.text, "\n") {
			out = append(out, press{text: p.text, paste: true})
			continue
		}
		for _, r := range p.text {
			if r == ' ' {
				out = append(out, press{name: "space"})
			} else {
				out = append(out, press{text: string(r)})
			}
		}
	}
	return out
}
