package text

import (
	"math"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// Limits of what is remembered about echoes and prompts.
const (
	maxTypedLines = 256    // typed lines whose echo has not been found yet
	maxSpans      = 20_000 // places in the text that are not output
	maxSpanText   = 200    // bytes of the text of a span
)

// LineEnd is a span's end that means the end of its line.
const LineEnd = math.MaxInt

// A Span is a part of a line that is not output: a prompt, the echo of typed input, or
// both. From and To count cells.
type Span struct {
	Line int64  `json:"line"`
	From int    `json:"from,omitempty"`
	To   int    `json:"to"`
	Text string `json:"text,omitempty"` // the text of the span, cut to maxSpanText; "" if not known yet
}

// A Typed is text that is sent to the program.
type Typed struct {
	Text   string
	Edited bool              // other keys were pressed too: the echo may look different
	Pasted bool              // in a bracketed paste, whose lines a line editor shows unchanged
	Kernel bool              // the terminal itself echoes: the echo is certain, and a line editor may repeat it
	At     emulator.Position // the cursor
	Before string            // the text left of it, which a line editor does not change
	Prompt int               // the cell where the prompt before it begins, -1 for none
}

// A typedLine is a line of a Typed whose echo is searched for. For all but the first line,
// Before is not known, and Prompt says only whether there is one.
type typedLine struct {
	Typed
	Ended bool               // Enter was typed after it
	Here  *emulator.Position // where it was typed, nil for all but the first line
	// Anchored says that the echo begins at At; otherwise it follows a prompt somewhere from
	// line At.Line on.
	Anchored bool
}

// Echoes finds the echo of typed input in the terminal's text.
type Echoes struct {
	Pending []typedLine
	Spans   []Span // in the order found
}

// Typed records text at the moment it is sent.
func (e *Echoes) Typed(c *Typed) {
	further := -1
	if c.Kernel && c.Prompt >= 0 {
		further = 0 // the shell that prompts has no line editor
	}
	lines, ended := textLines(c.Text)
	for i, text := range lines {
		l := typedLine{Typed: *c, Ended: i < len(lines)-1 || ended}
		if l.Text = text; i == 0 {
			if e.extend(l) {
				continue
			}
			l.Anchored, l.Here = true, &c.At
		} else {
			l.Prompt, l.Before = further, ""
		}
		e.expect(l)
	}
}

// extend appends l to the line that is being typed if the cursor is still in that line, and
// reports whether it did.
func (e *Echoes) extend(l typedLine) bool {
	n := len(e.Pending)
	if n == 0 {
		return false
	}
	open := &e.Pending[n-1]
	if open.Ended || !open.Anchored || open.At.Line != l.At.Line {
		return false
	}
	redrawn := l.Prompt >= 0 && !StartsWith(l.Before, open.Before) && !scrolled(l.Before, open.Text)
	if redrawn || open.Prompt < 0 && l.Prompt >= open.At.Offset {
		// A prompt has come since: ctrl+d ended another program, or a menu in this row has
		// gone.
		e.Pending = e.Pending[:n-1]
		return false
	}
	open.Text += l.Text
	open.Ended, open.Edited = l.Ended, open.Edited || l.Edited
	return true
}

// expect appends l, and removes the oldest line if there are too many.
func (e *Echoes) expect(l typedLine) {
	if len(e.Pending) == maxTypedLines {
		e.Pending = e.Pending[1:]
	}
	e.Pending = append(e.Pending, l)
}

// Mark adds spans with the text that term shows now.
func (e *Echoes) Mark(term *emulator.Terminal, sp ...Span) {
	for i := range sp {
		for _, l := range term.Lines(sp[i].Line, sp[i].Line+1) {
			sp[i].Text = strings.TrimRight(Between(l.Text, sp[i].From, sp[i].To), " ")
			sp[i].Text = strings.ToValidUTF8(sp[i].Text[:min(len(sp[i].Text), maxSpanText)], "") // no partial character
		}
	}
	e.add(sp...)
}

// add adds spans.
func (e *Echoes) add(sp ...Span) {
	if over := len(e.Spans) + len(sp) - maxSpans; over > 0 {
		e.Spans = e.Spans[over:]
	}
	e.Spans = append(e.Spans, sp...)
}

// Resolve looks for the echoes that have not been found yet. It returns the echoes of lines
// that are still being typed, and does not store them, because they may grow.
func (e *Echoes) Resolve(term *emulator.Terminal, prompts *detect.Prompts) (open []Span) {
	cursor, _ := term.CursorPosition()
	var keep []typedLine
	next := int64(-1) // where the echo of the next line of the same input can begin
	for len(e.Pending) > 0 {
		l := e.Pending[0]
		e.Pending = e.Pending[1:]
		if !l.Anchored {
			l.At.Line = max(l.At.Line, next)
		}
		sp, found := l.find(term, prompts)
		wrapped := l.wrapped(term, cursor.Line)
		switch {
		case !found && wrapped != nil:
			e.Mark(term, wrapped...)
			next = wrapped[len(wrapped)-1].Line + 1
		case found && cursor.Line > sp.Line && l.replaced(term, prompts, cursor.Line):
			open = append(open, Span{Line: sp.Line, From: sp.From, To: l.At.Offset})
			keep = append(keep, l)
		case found && (l.Ended || cursor.Line > sp.Line):
			e.Mark(term, sp)
			next = sp.Line + 1
			if again, ok := l.again(sp); ok {
				e.Pending = append([]typedLine{again}, e.Pending...)
			}
		case found:
			open = append(open, sp)
			keep = append(keep, l)
		case l.Anchored && cursor.Line > l.At.Line && l.Text == "" && !l.Ended:
			// Keys without text, such as the ctrl+c that ended the line, have no echo.
		case l.Anchored && cursor.Line > l.At.Line:
			// It was not echoed where it was typed. A line editor may show it when it reads it.
			l.Anchored = false
			e.Pending = append([]typedLine{l}, e.Pending...)
		case !l.Anchored:
			// The lines above the cursor no longer change: they are searched once.
			l.At.Line = max(l.At.Line, cursor.Line)
			keep = append(keep, l)
		default:
			keep = append(keep, l)
		}
	}
	e.Pending = keep
	return open
}

// again returns the line to search for next: a line editor repeats, after its prompt, what
// was typed ahead and echoed by the terminal.
func (l typedLine) again(sp Span) (typedLine, bool) {
	if !l.Kernel || l.Prompt >= 0 || l.Text == "" {
		return l, false
	}
	l.Anchored, l.Kernel, l.At.Line = false, false, sp.Line+1
	return l, true
}

// find returns the span of the line's echo, with the prompt before it.
func (l typedLine) find(term *emulator.Terminal, prompts *detect.Prompts) (Span, bool) {
	if l.Anchored {
		return l.findAt(term)
	}
	for _, line := range term.Lines(l.At.Line, term.EndLine()) {
		if sp, ok := l.findIn(line, prompts); ok {
			return sp, true
		}
	}
	return Span{}, false
}

// findAt looks for the echo where the cursor stood.
func (l typedLine) findAt(term *emulator.Terminal) (Span, bool) {
	lines := term.Lines(l.At.Line, l.At.Line+1)
	if len(lines) == 0 {
		return Span{}, false
	}
	if !StartsWith(lines[0].Text, l.Before) {
		// The program has redrawn the row. That is its answer, unless it is a line editor.
		return Span{Line: l.At.Line, To: LineEnd}, l.Prompt >= 0 && l.Ended && scrolled(lines[0].Text, l.Text)
	}
	rest := emulator.CutCells(lines[0].Text, l.At.Offset)
	from := l.At.Offset
	if l.Prompt >= 0 {
		from = l.Prompt
	}
	if l.Edited {
		// At a prompt, the line shows the effect of the keys; elsewhere nobody knows.
		return Span{Line: l.At.Line, From: from, To: LineEnd}, l.Prompt >= 0
	}
	n, ok := cutEcho(rest, l.Text)
	if !ok {
		n, ok = cutRedrawn(rest, l.Text)
	}
	if !ok {
		return Span{}, false
	}
	after := rest[n:]
	right := l.Ended || strings.HasPrefix(after, "  ") && emulator.Cells(lines[0].Text) >= term.Size().Cols-2
	if strings.TrimSpace(after) == "" || right && l.Prompt >= 0 && after[0] == ' ' {
		// The rest may be a prompt at the right edge.
		return Span{Line: l.At.Line, From: from, To: LineEnd}, true
	}
	width := emulator.Cells(rest) - emulator.Cells(after)
	return Span{Line: l.At.Line, From: from, To: l.At.Offset + width}, true
}

// findIn looks for the echo after a prompt in line, or for the whole line where
// the terminal itself echoes.
func (l typedLine) findIn(line emulator.Line, prompts *detect.Prompts) (Span, bool) {
	text := strings.TrimRight(l.Text, " ")
	if line.Text == text && (l.Kernel || l.Pasted && text != "") {
		return Span{Line: line.Number, From: 0, To: LineEnd}, true
	}
	if l.Kernel && !l.Ended && text != "" && strings.HasPrefix(line.Text, text) {
		return Span{Line: line.Number, From: 0, To: emulator.Cells(text)}, true // the answer to an earlier line follows
	}
	if n := prompts.Prefix(line.Text + " "); n > 0 && strings.TrimRight(Cut(line.Text, n), " ") == text {
		return Span{Line: line.Number, From: 0, To: LineEnd}, true
	}
	before, ok := strings.CutSuffix(line.Text, text)
	if ok && continuation(before) {
		return Span{Line: line.Number, From: 0, To: LineEnd}, true
	}
	return Span{}, false
}

// Cut returns s without its first n bytes.
func Cut(s string, n int) string {
	return s[min(n, len(s)):]
}

// maxContinuation is the longest continuation prompt, in bytes.
const maxContinuation = 40

// continuation reports whether text can be a continuation prompt: "> ", "... ", "quote> ",
// "   ...> ", "irb(main):002* ".
func continuation(text string) bool {
	if len(text) > maxContinuation {
		return false
	}
	bare := strings.TrimRight(text, " ")
	asks := strings.HasSuffix(bare, "?") && !strings.Contains(bare, " ") // tcsh: "foreach? "
	return bare == "..." || asks && bare != text || strings.HasSuffix(bare, "...:") || strings.HasSuffix(bare, "*") && bare != "*" ||
		detect.LooksLikePrompt(bare+" ")
}

// cutEcho returns how many bytes of rest are the echo of text. The terminal echoes control
// characters as ^X (ECHOCTL), and lines have no trailing blanks.
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

// cutRedrawn is cutEcho for an echo that begins in one column and continues in another.
// fish does that when a background job has written after the prompt: it continues where it
// believes its prompt to end.
func cutRedrawn(rest, text string) (n int, ok bool) {
	before, ok := strings.CutSuffix(strings.TrimRight(rest, " "), strings.TrimRight(text, " "))
	before = strings.TrimRight(before, " ")
	return len(rest), ok && before != "" && strings.HasPrefix(text, before)
}

// minScrolled is the shortest part of a long line that identifies the line.
const minScrolled = 16

// scrolled reports whether line is the part of a long text that a line editor shows when it
// scrolls sideways (ksh, readline without wrapping): the part may replace the prompt, and a
// sign says that there is more.
func scrolled(line, text string) bool {
	part := strings.Trim(line, " <>*+")
	return len(part) >= minScrolled && part != line && strings.Contains(text, part)
}

// withoutBlanks returns text without its blanks.
func withoutBlanks(text string) string { return strings.ReplaceAll(text, " ", "") }

// Standing returns the spans of a line whose text has not changed: what a program writes
// over a span is output.
func Standing(spans []Span, line string) []Span {
	kept := spans[:0:0]
	for _, sp := range spans {
		// A line editor may change the indentation of typed text.
		rest, text := withoutBlanks(emulator.CutCells(line, sp.From)), withoutBlanks(sp.Text)
		if text == "" || strings.HasPrefix(rest, text) || sp.To == LineEnd && strings.HasPrefix(text, rest) {
			kept = append(kept, sp)
		}
	}
	return kept
}

// Strip returns the text of a line without its spans. gone says that nothing else is left.
func Strip(text string, spans []Span) (left string, gone bool) {
	left = strings.TrimRight(StripKeep(text, spans), " ")
	return left, len(spans) > 0 && left == ""
}

// StripKeep is Strip, but keeps trailing blanks.
func StripKeep(text string, spans []Span) string {
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b Span) int { return a.From - b.From })
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		if sp.To <= at {
			continue
		}
		if sp.From > at {
			b.WriteString(Between(text, at, sp.From))
		}
		if at = sp.To; at == LineEnd {
			return b.String()
		}
	}
	b.WriteString(emulator.CutCells(text, at))
	return b.String()
}

// Between returns the cells of text from one cell up to another.
func Between(text string, from, to int) string {
	text = emulator.CutCells(text, from)
	return text[:len(text)-len(emulator.CutCells(text, to-from))]
}

// textLines returns typed text as lines, and whether Enter ended the last line.
func textLines(text string) (lines []string, ended bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	lines = strings.Split(text, "\n")
	if n := len(lines); n > 1 && lines[n-1] == "" {
		return lines[:n-1], true
	}
	return lines, false
}

// SpansBetween returns the spans from one place in the text up to another; with whole, the
// last span covers its line to the end.
func SpansBetween(from, to emulator.Position, whole bool) []Span {
	var spans []Span
	// Nobody types a command of more lines than this.
	const most = 1000
	for line := from.Line; line <= to.Line && line-from.Line < most; line++ {
		sp := Span{Line: line, To: LineEnd}
		if line == from.Line {
			sp.From = from.Offset
		}
		if line == to.Line && !whole {
			sp.To = to.Offset
		}
		if sp.To > sp.From {
			spans = append(spans, sp)
		}
	}
	return spans
}

// UpTo returns the first n cells of text, filled with blanks.
func UpTo(text string, n int) string {
	if rest := emulator.CutCells(text, n); rest != "" {
		return text[:len(text)-len(rest)]
	}
	return text + strings.Repeat(" ", max(0, n-emulator.Cells(text)))
}

// WithoutContinuation returns the text of a further line of a command without its
// continuation prompt.
func WithoutContinuation(text string) string {
	for i := 0; i < len(text) && i <= maxContinuation; i++ {
		if text[i] == ' ' && i > 0 && continuation(text[:i]) && strings.ContainsRune(">.*:", rune(text[i-1])) {
			return text[i+1:]
		}
	}
	return text
}
