package session

import (
	"math"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// Limits of what is remembered to keep echoes and prompts out of the output.
const (
	maxTypedLines = 256    // typed lines whose echo has not been found
	maxSpans      = 20_000 // places in the transcript that are no output
)

// lineEnd is a span's end that means the end of its line.
const lineEnd = math.MaxInt

// A span is a part of a line of the transcript that is no output: a prompt, the
// echo of what was typed, or both. from and to count cells.
type span struct {
	line     int64
	from, to int
}

// A typedLine is a line that someone typed and whose echo is to be found.
type typedLine struct {
	text   string
	ended  bool // Enter was typed after it
	edited bool // other keys were pressed too: the echo may look different

	at     emulator.Position  // where the cursor was, when anchored
	here   *emulator.Position // where it was typed, nil for the further lines of one input
	prompt int                // the cell where the prompt before it began, -1 for none; of further lines 0 where there was one
	// anchored says that the echo begins at the position at; otherwise it is
	// somewhere from line at.Line on, after a prompt.
	anchored bool
	// kernel says that the terminal itself echoes: the echo is certain, and may
	// come again when a line editor takes the text up.
	kernel bool
	pasted bool // in a bracketed paste, whose lines a line editor shows as they are
}

// echoes finds the echo of typed input in the transcript.
type echoes struct {
	pending []typedLine
	spans   []span // in the order found
}

// typed notes an input at the moment it goes out. prompt is the cell where the
// prompt before the cursor begins, -1 when there is none; kernel says that the
// terminal echoes by itself.
func (e *echoes) typed(c *typing, prompt int, kernel bool) {
	if !c.onText {
		return
	}
	further := -1
	if kernel && prompt >= 0 {
		further = 0 // the shell that prompts has no line editor
	}
	for i, text := range c.lines {
		l := typedLine{
			text: text, ended: i < len(c.lines)-1 || c.ended, edited: c.edited,
			at: c.at, prompt: further, kernel: kernel, pasted: c.paste > 0,
		}
		if i == 0 {
			if e.extend(l, prompt) {
				continue
			}
			l.anchored, l.prompt, l.here = true, prompt, &c.at
		}
		e.add(l)
	}
}

// extend joins l, typed after the prompt that begins at cell prompt, to the line
// that is being typed, when the cursor is still in it, and reports whether it did.
func (e *echoes) extend(l typedLine, prompt int) bool {
	n := len(e.pending)
	if n == 0 {
		return false
	}
	open := &e.pending[n-1]
	if open.ended || !open.anchored || open.at.Line != l.at.Line {
		return false
	}
	if open.prompt < 0 && prompt >= open.at.Offset {
		// A prompt has come since, where ctrl+d ended another program.
		e.pending = e.pending[:n-1]
		return false
	}
	open.text += l.text
	open.ended, open.edited = l.ended, open.edited || l.edited
	return true
}

// add appends l and forgets the oldest line when there are too many.
func (e *echoes) add(l typedLine) {
	if len(e.pending) == maxTypedLines {
		e.pending = e.pending[1:]
	}
	e.pending = append(e.pending, l)
}

// mark adds a span that is known without searching.
func (e *echoes) mark(sp ...span) {
	if over := len(e.spans) + len(sp) - maxSpans; over > 0 {
		e.spans = e.spans[over:]
	}
	e.spans = append(e.spans, sp...)
}

// resolve looks for the echoes not found yet. Those of lines that are still
// being typed are returned but not kept: they may grow.
func (e *echoes) resolve(term *emulator.Terminal, prompts *detect.Prompts) (open []span) {
	cursor, _ := term.CursorPosition()
	var keep []typedLine
	next := int64(-1) // where the echo of the next line of the same input can begin
	for len(e.pending) > 0 {
		l := e.pending[0]
		e.pending = e.pending[1:]
		if !l.anchored {
			l.at.Line = max(l.at.Line, next)
		}
		sp, found := l.find(term, prompts)
		wrapped := l.wrapped(term, cursor.Line)
		switch {
		case !found && wrapped != nil:
			e.mark(wrapped...)
			next = wrapped[len(wrapped)-1].line + 1
		case found && (l.ended || cursor.Line > sp.line):
			e.mark(sp)
			next = sp.line + 1
			if again, ok := l.again(sp); ok {
				e.pending = append([]typedLine{again}, e.pending...)
			}
		case found:
			open = append(open, sp)
			keep = append(keep, l)
		case l.anchored && cursor.Line > l.at.Line:
			// It was not echoed where it was typed: a line editor may show it
			// when it takes it up.
			l.anchored = false
			e.pending = append([]typedLine{l}, e.pending...)
		case !l.anchored:
			// The lines above the cursor are done: they are searched once.
			l.at.Line = max(l.at.Line, cursor.Line)
			keep = append(keep, l)
		default:
			keep = append(keep, l)
		}
	}
	e.pending = keep
	return open
}

// again returns the line to search for where a line editor repeats, after its
// prompt, what the terminal has echoed when it was typed ahead.
func (l typedLine) again(sp span) (typedLine, bool) {
	if !l.kernel || l.prompt >= 0 || l.text == "" {
		return l, false
	}
	l.anchored, l.kernel, l.at.Line = false, false, sp.line+1
	return l, true
}

// find returns the span of the line's echo, with the prompt before it.
func (l typedLine) find(term *emulator.Terminal, prompts *detect.Prompts) (span, bool) {
	if l.anchored {
		return l.findAt(term)
	}
	for _, line := range term.Lines(l.at.Line, term.EndLine()) {
		if sp, ok := l.findIn(line, prompts); ok {
			return sp, true
		}
	}
	return span{}, false
}

// findAt looks for the echo where the cursor stood.
func (l typedLine) findAt(term *emulator.Terminal) (span, bool) {
	lines := term.Lines(l.at.Line, l.at.Line+1)
	if len(lines) == 0 {
		return span{}, false
	}
	rest := emulator.CutCells(lines[0].Text, l.at.Offset)
	from := l.at.Offset
	if l.prompt >= 0 {
		from = l.prompt
	}
	if l.edited {
		// At a prompt, the line is what became of the keys; elsewhere nobody
		// knows.
		return span{l.at.Line, from, lineEnd}, l.prompt >= 0
	}
	n, ok := cutEcho(rest, l.text)
	if !ok {
		n, ok = cutRedrawn(rest, l.text)
	}
	if !ok && l.prompt >= 0 && l.ended && scrolled(lines[0].Text, l.text) {
		return span{l.at.Line, 0, lineEnd}, true
	}
	if !ok {
		return span{}, false
	}
	after := rest[n:]
	if strings.TrimSpace(after) == "" || l.ended && l.prompt >= 0 && after[0] == ' ' {
		// What is left may be a prompt at the right margin.
		return span{l.at.Line, from, lineEnd}, true
	}
	width := emulator.Cells(rest) - emulator.Cells(after)
	return span{l.at.Line, from, l.at.Offset + width}, true
}

// findIn looks for the echo after a prompt in line, or for the whole line where
// the terminal itself echoes.
func (l typedLine) findIn(line emulator.Line, prompts *detect.Prompts) (span, bool) {
	text := strings.TrimRight(l.text, " ")
	if line.Text == text && (l.kernel || l.pasted && !l.ended && text != "") {
		return span{line.Number, 0, lineEnd}, true
	}
	if l.kernel && !l.ended && text != "" && strings.HasPrefix(line.Text, text) {
		return span{line.Number, 0, emulator.Cells(text)}, true // the answer to a line before follows
	}
	if n := prompts.Prefix(line.Text + " "); n > 0 && strings.TrimRight(cut(line.Text, n), " ") == text {
		return span{line.Number, 0, lineEnd}, true
	}
	before, ok := strings.CutSuffix(line.Text, text)
	if ok && continuation(before) {
		return span{line.Number, 0, lineEnd}, true
	}
	return span{}, false
}

// cut returns s without its first n bytes.
func cut(s string, n int) string {
	return s[min(n, len(s)):]
}

// maxContinuation is the longest continuation prompt, in bytes.
const maxContinuation = 40

// continuation reports whether text can be the prompt for a further line of an
// unfinished input: "> ", "... ", "quote> ", "   ...> ", "irb(main):002* ".
func continuation(text string) bool {
	if len(text) > maxContinuation {
		return false
	}
	bare := strings.TrimRight(text, " ")
	asks := strings.HasSuffix(bare, "?") && !strings.Contains(bare, " ") // tcsh: "foreach? "
	return bare == "..." || asks && bare != text || strings.HasSuffix(bare, "...:") || strings.HasSuffix(bare, "*") && bare != "*" ||
		detect.LooksLikePrompt(bare+" ")
}

// cutEcho returns how many bytes of rest are the echo of text. Control
// characters are echoed as ^X (ECHOCTL), and the transcript has no trailing
// blanks.
func cutEcho(rest, text string) (n int, ok bool) {
	if strings.HasPrefix(rest, text) {
		return len(text), true
	}
	if trimmed := strings.TrimRight(text, " "); rest == trimmed {
		return len(rest), true
	}
	var shown strings.Builder
	for _, r := range text {
		if r < ' ' && r != '\t' {
			shown.WriteByte('^')
			shown.WriteRune(r + '@')
			continue
		}
		shown.WriteRune(r)
	}
	if shown.Len() > len(text) && strings.HasPrefix(rest, shown.String()) {
		return shown.Len(), true
	}
	// Some line editors drop blanks (JLine, before a closing brace).
	if len(rest) > 0 && withoutBlanks(rest) == withoutBlanks(text) {
		return len(rest), true
	}
	return 0, false
}

// cutRedrawn is cutEcho where a line editor began to echo in one column and went
// on in another, in which it believed its prompt to end: fish, when a job in the
// background has written behind the prompt.
func cutRedrawn(rest, text string) (n int, ok bool) {
	before, ok := strings.CutSuffix(strings.TrimRight(rest, " "), strings.TrimRight(text, " "))
	before = strings.TrimRight(before, " ")
	return len(rest), ok && before != "" && strings.HasPrefix(text, before)
}

// minScrolled is the least of a long line that tells what is left of it.
const minScrolled = 16

// scrolled reports whether line is what a line editor leaves of the long line
// text when it scrolls it sideways (ksh, readline without wrapping): a part of
// it, in place of the prompt too, and a sign that there is more.
func scrolled(line, text string) bool {
	part := strings.Trim(line, " <>*+")
	return len(part) >= minScrolled && part != line && strings.Contains(text, part)
}

// withoutBlanks returns text without its blanks.
func withoutBlanks(text string) string { return strings.ReplaceAll(text, " ", "") }

// strip returns text without the parts that spans, all of its line, cover. gone
// says that what is left is blank only because of them.
func strip(text string, spans []span) (left string, gone bool) {
	left = strings.TrimRight(stripKeep(text, spans), " ")
	return left, len(spans) > 0 && left == ""
}

// stripKeep is strip with trailing blanks kept.
func stripKeep(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		if sp.to <= at {
			continue
		}
		if sp.from > at {
			b.WriteString(between(text, at, sp.from))
		}
		if at = sp.to; at == lineEnd {
			return b.String()
		}
	}
	b.WriteString(emulator.CutCells(text, at))
	return b.String()
}

// between returns the cells of text from from up to to.
func between(text string, from, to int) string {
	text = emulator.CutCells(text, from)
	return text[:len(text)-len(emulator.CutCells(text, to-from))]
}
