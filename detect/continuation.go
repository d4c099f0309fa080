package detect

import "strings"

// minStem is the minimum number of bytes that two prompts must have in common, apart from the signs
// at their ends, for one to be a continuation prompt of the other.
const minStem = 2

// Continues reports whether text, which is left of the cursor, looks like a continuation prompt of
// a program with a learned prompt: "ghci| " after "ghci> ", "irb(main):002:1* " after
// "irb(main):001:0> ", or "db-# " after "db=# ". After any learned prompt, the dots of Python,
// IPython and jshell, "-> " of mysql and "| " of node count too. Output may look the same.
func (p *Prompts) Continues(text string) bool {
	if len(p.Shapes) == 0 || len(text) > maxPromptShape {
		return false
	}
	switch bare := strings.TrimSpace(text); strings.TrimLeft(bare, ".") {
	case "", ":", ">":
		if strings.HasPrefix(bare, "...") {
			return true
		}
	case "->", "|":
		return true // mysql, node
	}
	shape, _ := generalise(text)
	stem := promptStem(shape)
	if len(stem) < minStem || stem == shape {
		return false
	}
	for _, l := range p.Shapes {
		if promptStem(l.Shape) == stem {
			return true
		}
	}
	return false
}

// promptStem returns a prompt's shape without the signs at its end.
func promptStem(shape string) string { return strings.TrimRight(shape, " >|*-=#$%'\"`({[.:") }
