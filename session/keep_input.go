package session

import (
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/danger"
)

// maxKeptRecalled bounds the submitted lines that outlive a server, in bytes: they
// go with every reply.
const maxKeptRecalled = 16 << 10

// A keptLine is a typedInput.
type keptLine struct {
	Text             string
	Cursor           int
	Sure, Read, Open bool
	At               emulator.Position
	OnText           bool
	Version          uint64
	Script           string
	Vars, Recalled   []string
}

// keep returns l as it is kept.
func (l *typedInput) keep() keptLine {
	k := keptLine{
		Text: string(l.text), Cursor: l.cursor, Sure: l.sure, Read: l.read, Open: l.open,
		At: l.at, OnText: l.onText, Version: l.version, Script: l.script, Vars: l.vars,
	}
	from, size := len(l.recalled), 0
	for from > 0 && size+len(l.recalled[from-1]) <= maxKeptRecalled {
		from--
		size += len(l.recalled[from])
	}
	k.Recalled = l.recalled[from:]
	return k
}

// line returns the typedInput that was kept. A line that was being typed is read
// from the screen again: its last keys may have been lost with the server.
func (k *keptLine) line() typedInput {
	l := typedInput{
		text: []rune(k.Text), sure: k.Sure && !k.Open, read: k.Read || k.Open, open: k.Open,
		at: k.At, onText: k.OnText, version: k.Version, script: k.Script, vars: k.Vars, recalled: k.Recalled,
	}
	l.cursor = min(max(k.Cursor, 0), len(l.text))
	return l
}

// A keptHeld is a heldInput.
type keptHeld struct {
	Input      Input // a tool call's, and no secret: the danger check looks at no other
	Text, Line string
	Until      time.Time
	Version    uint64
	Front      string
	Found      []danger.Finding
	Whole, Dir string
}

// keepHeld returns held input as it is kept.
func keepHeld(held []heldInput) []keptHeld {
	out := make([]keptHeld, len(held))
	for i, h := range held {
		out[i] = keptHeld{
			Input: h.input, Text: h.text, Line: h.line, Until: h.until,
			Version: h.version, Front: h.front, Found: h.found, Whole: h.whole, Dir: h.dir,
		}
	}
	return out
}

// heldInputs returns the held input that was kept.
func heldInputs(kept []keptHeld) []heldInput {
	var out []heldInput
	for _, k := range kept[:min(len(kept), maxHeld)] {
		out = append(out, heldInput{
			input: k.Input, text: k.Text, line: k.Line, until: k.Until,
			version: k.Version, front: k.Front, found: k.Found, whole: k.Whole, dir: k.Dir,
		})
	}
	return out
}
