package session

import (
	"slices"

	"github.com/glasstty/glasstty/emulator"
)

// A deed is what a key does to the line.
type deed int

const (
	inserts deed = iota
	submits
	goesLeft
	goesRight
	goesHome
	goesEnd
	erases     // the character before the cursor
	deletes    // the one under it
	killsEnd   // from the cursor on
	killsStart // up to the cursor
	killsWord
	abandons   // the whole line: ctrl+c
	escapes    // esc: in vi's modes what follows is commands
	unforeseen // what cannot be foretold: history, completion, search
)

// A stroke is one key, or one character, of an input.
type stroke struct {
	does deed
	r    rune
	item int // which key of the input, -1 for its text, len(keys) for Enter
	at   int // in the text, the byte behind it
}

// controlDeeds are what control characters do in readline, zle, fish and libedit
// alike.
var controlDeeds = map[rune]deed{
	'\r': submits, '\n': submits, 0x01: goesHome, 0x02: goesLeft, 0x03: abandons, 0x04: deletes, 0x05: goesEnd, 0x06: goesRight,
	0x08: erases, 0x7f: erases, 0x0b: killsEnd, 0x0f: submits, 0x15: killsStart, 0x17: killsWord, 0x1b: escapes,
}

// keyDeeds are what named keys do.
var keyDeeds = map[emulator.KeyCode]deed{
	emulator.KeyEnter: submits, emulator.KeyLeft: goesLeft, emulator.KeyRight: goesRight, emulator.KeyHome: goesHome, emulator.KeyEnd: goesEnd,
	emulator.KeyBackspace: erases, emulator.KeyDelete: deletes, emulator.KeyEscape: escapes,
}

// strokes returns the keys of an input, one by one. bracketed says that a paste
// is marked as one, so that line breaks in it submit nothing.
func strokes(in Input, bracketed bool) []stroke {
	var out []stroke
	add := func(text string, item int, literal bool) {
		for i, r := range text {
			s := stroke{does: inserts, r: r, item: item, at: i + len(string(r))}
			if d, ok := controlDeeds[r]; ok && !literal {
				s.does = d
			} else if r < ' ' && !literal {
				s.does = unforeseen
			}
			out = append(out, s)
		}
	}
	add(in.Text, -1, in.Paste && bracketed)
	for i, k := range in.Keys {
		if k.Text != "" {
			add(k.Text, i, false)
			continue
		}
		for range max(k.Repeat, 1) {
			out = append(out, stroke{does: keyDeed(k.Key), r: k.Key.Rune, item: i})
		}
	}
	if len(in.Mouse) > 0 {
		out = append(out, stroke{does: unforeseen, item: len(in.Keys)})
	}
	if in.Enter {
		out = append(out, stroke{does: submits, item: len(in.Keys)})
	}
	return out
}

// keyDeed returns what a key does to the line.
func keyDeed(k emulator.Key) deed {
	mods := k.Mods &^ emulator.Shift
	switch {
	case k.Code == emulator.KeyRune && mods == 0:
		return inserts
	case k.Code == emulator.KeyRune && mods == emulator.Ctrl:
		if d, ok := controlDeeds[k.Rune&0x1f]; ok {
			return d
		}
		return unforeseen
	case mods == 0:
		if d, ok := keyDeeds[k.Code]; ok {
			return d
		}
	case k.Code == emulator.KeyEnter:
		return submits
	}
	return unforeseen
}

// apply does to the line what a key does.
func (l *typedInput) apply(s stroke) {
	if len(l.text) > maxTypedLine {
		l.sure = false
		return
	}
	l.open, l.read = true, false
	n := len(l.text)
	switch s.does {
	case inserts:
		l.text = slices.Insert(l.text, l.cursor, s.r)
		l.cursor++
	case goesLeft:
		l.cursor = max(l.cursor-1, 0)
	case goesRight:
		// At the end, fish takes its suggestion.
		l.sure = l.sure && l.cursor < n
		l.cursor = min(l.cursor+1, n)
	case goesHome:
		l.cursor = 0
	case goesEnd:
		l.sure = l.sure && l.cursor < n
		l.cursor = n
	case erases:
		if l.cursor > 0 {
			l.text = slices.Delete(l.text, l.cursor-1, l.cursor)
			l.cursor--
		}
	case deletes:
		if l.cursor < n {
			l.text = slices.Delete(l.text, l.cursor, l.cursor+1)
		}
	case killsEnd:
		l.text = l.text[:l.cursor]
	case killsStart:
		// zsh takes the whole line away, the others what is before the cursor.
		l.sure = l.sure && l.cursor == n
		l.text, l.cursor = l.text[l.cursor:], 0
	case killsWord:
		start := l.cursor
		for start > 0 && l.text[start-1] == ' ' {
			start--
		}
		for start > 0 && l.text[start-1] != ' ' {
			start--
		}
		l.text, l.cursor = slices.Delete(l.text, start, l.cursor), start
	case abandons:
		l.clear()
	case escapes, unforeseen:
		l.sure = false
	}
}

// splitAt cuts an input before its stroke i.
func splitAt(in Input, all []stroke, i int) (before Input, rest *Input) {
	at := all[i]
	from := 0 // in the text of the item, where the stroke begins
	if i > 0 && all[i-1].item == at.item {
		from = all[i-1].at
	}
	before, after := in, in
	before.Enter = false
	switch {
	case at.item < 0:
		before.Text, before.Keys, before.Mouse = in.Text[:from], nil, nil
		after.Text = in.Text[from:]
	case at.item == len(in.Keys):
		after.Text, after.Keys, after.Mouse, after.Paste = "", nil, nil, false
	default:
		k := in.Keys[at.item]
		first, second := k, k
		if k.Text != "" {
			first.Text, second.Text = k.Text[:from], k.Text[from:]
		}
		before.Keys = slices.Clone(in.Keys[:at.item])
		if k.Text != "" && first.Text != "" {
			before.Keys = append(before.Keys, first)
		}
		before.Mouse = nil
		after.Text, after.Paste = "", false
		after.Keys = append([]KeyPress{second}, in.Keys[at.item+1:]...)
	}
	return before, &after
}
