package cmdline

import (
	"strings"
)

// A Candidate is a completion of a word.
type Candidate struct{ Text, Help string }

// Files is the text of a Candidate that asks the shell to complete file names.
const Files = ":files"

// Complete returns the completions of the last of words, the words after the program's name.
// The last word may be empty.
func Complete(root *Command, words []string) []Candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	w := walk{at: root, flags: root.Flags}
	last := words[len(words)-1]
	for _, word := range words[:len(words)-1] {
		w.word(word)
	}
	switch {
	case w.literal:
		return []Candidate{{Text: Files}}
	case w.pending != nil:
		return starting(last, "", w.pending.Words)
	case strings.HasPrefix(last, "--") && strings.Contains(last, "="):
		name, value, _ := strings.Cut(last, "=")
		f := w.flag(name)
		if f == nil || f.Words == nil {
			return nil
		}
		return starting(value, name+"=", f.Words)
	case strings.HasPrefix(last, "-"):
		return w.flagNames(last)
	}
	if w.args == 0 && len(w.at.Commands) > 0 {
		return w.commandNames(last)
	}
	if n := min(w.args, len(w.at.Args)-1); n >= 0 && (n == w.args || w.at.Args[n].Many) {
		return starting(last, "", w.at.argWords(n))
	}
	return nil
}

// argWords returns the values or beginnings of the n'th argument, nil for any.
func (c *Command) argWords(n int) []string {
	keys := c.keys()
	if n < len(c.Args)-1 || len(keys) == 0 {
		return c.Args[n].Words
	}
	var out []string
	for _, k := range keys {
		out = append(out, k.Name+"=")
	}
	return out
}

// A walk is the state after the words before the last one.
type walk struct {
	at      *Command
	flags   []Flag // of the commands so far
	pending *Flag  // the flag whose value comes next
	args    int    // positional arguments so far
	literal bool   // after "--"
}

// word reads one word.
func (w *walk) word(word string) {
	switch {
	case w.literal:
	case w.pending != nil:
		w.pending = nil
	case word == "--":
		w.literal = true
	case strings.HasPrefix(word, "-"):
		if f := w.flag(word); f != nil && f.Value != "" {
			w.pending = f
		}
	default:
		if next := w.at.find(word); next != nil && w.args == 0 {
			w.at = next
			w.flags = append(append([]Flag{}, w.flags...), next.Flags...)
			return
		}
		w.args++
	}
}

// flag returns the flag that a word names, or nil.
func (w *walk) flag(word string) *Flag {
	for i, f := range w.flags {
		if word == "--"+f.Name || f.Short != "" && word == "-"+f.Short {
			return &w.flags[i]
		}
	}
	return nil
}

// flagNames returns the flags that begin with prefix.
func (w *walk) flagNames(prefix string) []Candidate {
	var out []Candidate
	for _, f := range w.flags {
		if name := "--" + f.Name; !f.Hidden && strings.HasPrefix(name, prefix) {
			out = append(out, Candidate{name, f.Help})
		}
	}
	return out
}

// commandNames returns the commands that begin with prefix.
func (w *walk) commandNames(prefix string) []Candidate {
	var out []Candidate
	for _, c := range w.at.Commands {
		if !c.Hidden && strings.HasPrefix(c.Name, prefix) {
			out = append(out, Candidate{c.Name, c.Help})
		}
	}
	return out
}

// starting returns the words that begin with prefix, each after lead. When any word is
// allowed, it returns Files.
func starting(prefix, lead string, words []string) []Candidate {
	if words == nil {
		return []Candidate{{Text: Files}}
	}
	var out []Candidate
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			out = append(out, Candidate{Text: lead + w})
		}
	}
	return out
}
