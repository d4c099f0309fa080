package text

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// Limits on what is remembered about echoes and prompts.
const (
	maxTypedLines = 256    // length of Echoes.Pending and of Echoes.Repeated
	maxSpans      = 20_000 // length of Echoes.Spans; the oldest spans are forgotten
	maxSpanText   = 200    // length of Span.Text and Span.Before, in bytes
)

// LineEnd, as the To of a Span, means the end of the line.
const LineEnd = math.MaxInt

// A Span is a part of a line that is not output: a prompt, the echo of typed input, or
// both. From and To are cells, counted from the beginning of the line.
type Span struct {
	Line int64  `json:"line"`
	From int    `json:"from,omitempty"`
	To   int    `json:"to"`
	Text string `json:"text,omitempty"` // the text of the span, cut to maxSpanText; "" until the terminal shows it

	// Before is the text left of the span, also cut to maxSpanText, or "" if the text there does not
	// matter. If the line no longer begins with Before, the program has redrawn the line.
	Before string `json:"before,omitempty"`
}

// A Typed is text that is sent to the program.
type Typed struct {
	Text   string
	Edited bool              // other keys were pressed too: the echo may look different
	Pasted bool              // sent as a bracketed paste, whose lines a line editor shows unchanged
	Kernel bool              // the terminal itself echoes the text (line mode, ECHO); a line editor may repeat it
	At     emulator.Position // the cursor
	Before string            // the text left of the cursor, which a line editor does not change
	Prompt int               // the cell where the prompt before the cursor begins, or -1
}

// A typedLine is a line of a Typed whose echo has not been found yet, or may be redrawn or repeated. If
// its echo cannot begin at the cursor, as that of the second line of a text, Before is empty, and Prompt
// is 0 if the shell is expected to prompt for the line, else -1.
type typedLine struct {
	Typed
	Ended bool               // Enter was typed after the line
	Start *emulator.Position // where the line was typed; nil if its echo cannot begin there
	Shown *string            // of an Edited line: the text from At on when the program waited for input again; nil if not known
	Place echoPlace
	Early Span // the echo that was found, if Place is earlyEcho
}

// An echoPlace is where the echo of a typed line can be.
//
//	atCursor     -> leftLine      ResolveAnchored has not found the echo of a line editor, and the cursor is below
//	             -> earlyEcho     ResolveAnchored has found the echo of a line editor
//	             -> belowPrompt   Resolve has not found the echo, and the cursor is below;
//	                              for a Kernel line, ResolveAnchored too
//	leftLine     -> atCursor      Resolve searches once more
type echoPlace int

const (
	belowPrompt echoPlace = iota // in line At.Line or below, usually after a prompt
	atCursor                     // at At, where the line was typed
	leftLine                     // at At, where a line editor may still draw it
	earlyEcho                    // at Early; a line editor may still redraw that row
)

// anchored reports whether the echo can only begin in the line where the text was typed.
func (l *typedLine) anchored() bool { return l.Place != belowPrompt }

// Echoes finds the echo of typed input in the terminal's text.
type Echoes struct {
	Pending  []typedLine // lines whose echo has not been found, or may be redrawn
	Repeated []typedLine // lines whose first echo was found, and that a line editor may repeat
	Spans    []Span      // in the order found
}

// Typed records text just before it is sent.
func (e *Echoes) Typed(c *Typed) {
	at := c // where the first line was typed
	before := e.submittedLine(c)
	if before != nil {
		at = &before.Typed
	}
	nextPrompt := -1 // the Prompt of the lines after the first
	if at.Kernel && at.Prompt >= 0 {
		nextPrompt = 0 // a shell without a line editor prompts for each line
	}
	lines, ended := textLines(c.Text)
	for i, text := range lines {
		l := typedLine{Typed: *c, Ended: i < len(lines)-1 || ended}
		switch l.Text = text; {
		case i > 0 || before != nil:
			l.Prompt, l.Before = nextPrompt, ""
		case e.extend(l):
			continue
		default:
			l.Place, l.Start = atCursor, &c.At
		}
		if l.Text != "" || l.Ended || l.anchored() { // other keys have no echo
			e.Pending = append(e.Pending[max(0, len(e.Pending)+1-maxTypedLines):], l)
		}
	}
}

// submittedLine returns a submitted line that the cursor's line does not show completely yet, or nil if
// there is none. The echo of c will follow that line's echo, and the prompt before the cursor is that line's.
func (e *Echoes) submittedLine(c *Typed) *typedLine {
	for i := range e.Pending {
		l := &e.Pending[i]
		whole := withoutBlanks(l.Before + l.Text)
		shown := withoutBlanks(c.Before)
		if l.anchored() && l.Ended && l.At.Line == c.At.Line && len(shown) < len(whole) && strings.HasPrefix(whole, shown) {
			return l
		}
	}
	return nil
}

// extend appends l to the line that is being typed if the cursor is still in that line, and
// reports whether it did. If a prompt has replaced that line, extend forgets the line.
func (e *Echoes) extend(l typedLine) bool {
	n := len(e.Pending)
	if n == 0 {
		return false
	}
	open := &e.Pending[n-1]
	if open.Ended || !open.anchored() || open.At.Line != l.At.Line {
		return false
	}
	redrawn := l.Prompt >= 0 && !StartsWith(l.Before, open.Before) && !scrolled(l.Before, open.Text)
	if redrawn || open.Prompt < 0 && l.Prompt >= open.At.Offset {
		// The prompt is new: ctrl+d has ended another program, or a menu in this row has
		// disappeared.
		e.Pending = e.Pending[:n-1]
		return false
	}
	open.Text += l.Text
	open.Ended, open.Edited, open.Shown = l.Ended, open.Edited || l.Edited, nil
	return true
}

// RecordShown is called when the program waits for input again. If an Edited line is still being typed,
// it records what the keys have produced in the cursor's line. Text that appears there later is output.
func (e *Echoes) RecordShown(term *emulator.Terminal) {
	n := len(e.Pending)
	cursor, ok := term.CursorPosition()
	if n == 0 || !ok {
		return
	}
	l := &e.Pending[n-1]
	if !l.anchored() || l.Ended || !l.Edited || l.Shown != nil || l.At.Line != cursor.Line {
		return
	}
	shown := emulator.CutCells(term.LineText(cursor.Line), l.At.Offset)
	l.Shown = &shown
}

// Mark appends spans to e.Spans, with the text that term shows in them (see WithText).
func (e *Echoes) Mark(term *emulator.Terminal, sp ...Span) {
	e.Spans = append(e.Spans, WithText(term, sp)...)
	e.Spans = e.Spans[max(0, len(e.Spans)-maxSpans):]
}

// WithText sets the Text of spans that have none to what term shows, and returns the spans. If such a span
// ends at LineEnd, it will end where its line ends now, because text that follows later is output.
func WithText(term *emulator.Terminal, spans []Span) []Span {
	for i := range spans {
		sp := &spans[i]
		if sp.Text != "" || sp.Line >= term.EndLine() {
			continue
		}
		line := term.LineText(sp.Line)
		if sp.To == LineEnd {
			sp.To = max(sp.From, emulator.TextWidth(line))
		}
		sp.Text = cutSpanText(strings.TrimRight(Between(line, sp.From, sp.To), " "))
	}
	return spans
}

// cutSpanText returns text cut to maxSpanText, without a partial character at the end.
func cutSpanText(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxSpanText)], "")
}

// Due reports whether the next expected echo is that of a submitted line, at the place where it was typed.
func (e *Echoes) Due() bool {
	return len(e.Pending) > 0 && e.Pending[0].Place == atCursor && e.Pending[0].Ended
}

// Resolve looks for the echoes that have not been found yet, and stores them in e.Spans. It does not
// store the echoes of lines that are still being typed, because these may grow, but returns them.
func (e *Echoes) Resolve(term *emulator.Terminal, prompts *detect.Prompts) (open []Span) {
	s := e.search(term, prompts, false)
	s.repeated()
	return s.open
}

// ResolveAnchored is Resolve for the lines whose echo begins where they were typed. It can be called in
// the middle of output, when the program may have drawn only a part of the other echoes.
func (e *Echoes) ResolveAnchored(term *emulator.Terminal, prompts *detect.Prompts) {
	e.search(term, prompts, true)
}

// A search is one search for the echoes of all typed lines.
type search struct {
	e       *Echoes
	term    *emulator.Terminal
	prompts *detect.Prompts
	early   bool   // the search is for ResolveAnchored
	cursor  int64  // the cursor's line
	next    int64  // the first line in which the echo of the next typed line can be
	open    []Span // the echoes of lines that are still being typed
}

func (e *Echoes) search(term *emulator.Terminal, prompts *detect.Prompts, early bool) *search {
	cursor, _ := term.CursorPosition()
	s := &search{e: e, term: term, prompts: prompts, early: early, cursor: cursor.Line, next: -1}
	pending := e.Pending
	e.Pending = nil
	for _, l := range pending {
		s.line(l)
	}
	return s
}

// keep keeps a line for the next search. open is the part of the line's echo that was found; it may grow.
func (s *search) keep(l typedLine, open ...Span) {
	if s.early && l.Place == atCursor && s.cursor > l.At.Line {
		l.Place = leftLine
	}
	s.open = append(s.open, open...)
	s.e.Pending = append(s.e.Pending, l)
}

// line searches for the echo of one line. It keeps the line if the echo may still appear, grow or move.
func (s *search) line(l typedLine) {
	if l.Place == belowPrompt {
		l.At.Line = max(l.At.Line, s.next)
	}
	switch {
	case s.early && l.Place != atCursor:
		s.keep(l)
		return
	case l.Place == earlyEcho:
		s.next = l.At.Line + 1
		if sp, found := l.redrawn(s.term, s.prompts); found {
			s.e.Mark(s.term, sp)
		}
		return
	case l.Place == leftLine:
		l.Place = atCursor
	}
	sp, found := l.find(s.term, s.prompts)
	wrapped, whole := l.wrapped(s.term, s.cursor)
	left := l.Place == atCursor && s.cursor > l.At.Line
	switch {
	case s.early && !found && !l.Kernel:
		s.keep(l)
	case !found && wrapped != nil && !whole:
		s.keep(l, wrapped...)
	case !found && wrapped != nil:
		s.e.Mark(s.term, wrapped...)
		s.next = wrapped[len(wrapped)-1].Line + 1
	case found && s.cursor > sp.Line && l.replaced(s.term, s.prompts, s.cursor):
		s.keep(l, Span{Line: sp.Line, From: sp.From, To: l.At.Offset})
	case found && (l.Ended || s.cursor > sp.Line):
		s.found(l, sp)
	case found:
		s.keep(l, sp)
	case left && l.Text == "" && !l.Ended:
		// Keys without text, such as the ctrl+c that ended the line, have no echo.
	case left:
		// The line was not echoed where it was typed. A line editor may show it later.
		l.Place = belowPrompt
		s.line(l)
	case l.Place == belowPrompt:
		// The lines above the cursor no longer change: they are searched once.
		l.At.Line = max(l.At.Line, s.cursor)
		s.keep(l)
	default:
		s.keep(l)
	}
}

// found stores the echo of a line. It keeps the line if a line editor may repeat or redraw the echo.
func (s *search) found(l typedLine, sp Span) {
	e := s.e
	e.Mark(s.term, sp)
	last := &e.Spans[len(e.Spans)-1]
	if l.Edited && l.Shown == nil {
		last.To = LineEnd // the program may not have drawn all of the line
	}
	s.next = sp.Line + 1
	switch {
	case l.Kernel && l.Prompt < 0 && l.Text != "":
		l.Place, l.Kernel, l.At.Line = belowPrompt, false, s.next
		e.Repeated = append(e.Repeated[max(0, len(e.Repeated)+1-maxTypedLines):], l)
	case s.early && !l.Kernel:
		l.Place, l.Early = earlyEcho, *last
		s.keep(l)
	}
}

// repeated looks for lines that were typed ahead, when the terminal echoed them, and that a line editor
// has shown once more after its prompt. The line editor shows them in order.
func (s *search) repeated() {
	s.next = -1
	lines := s.e.Repeated
	s.e.Repeated = nil
	for _, l := range lines {
		l.At.Line = max(l.At.Line, s.next)
		if sp, found := l.find(s.term, s.prompts); found {
			s.e.Mark(s.term, sp)
			s.next, s.e.Repeated = sp.Line+1, nil
			continue
		}
		l.At.Line = max(l.At.Line, s.cursor)
		s.e.Repeated = append(s.e.Repeated, l)
	}
}

// find returns the span of the line's echo, including the prompt before it if one is known.
func (l typedLine) find(term *emulator.Terminal, prompts *detect.Prompts) (Span, bool) {
	if l.anchored() {
		return l.findAt(term)
	}
	for _, line := range term.Lines(l.At.Line, term.EndLine()) {
		if sp, ok := l.findIn(line, prompts); ok {
			return sp, true
		}
	}
	return Span{}, false
}

// findAt looks for the echo at the position that the cursor had when the line was typed.
func (l typedLine) findAt(term *emulator.Terminal) (Span, bool) {
	line := term.LineText(l.At.Line)
	if !StartsWith(line, l.Before) {
		// The program has redrawn the row: the row is output, unless a line editor has scrolled the line sideways.
		return Span{Line: l.At.Line, To: LineEnd}, l.Prompt >= 0 && l.Ended && scrolled(line, l.Text)
	}
	rest := emulator.CutCells(line, l.At.Offset)
	from, before := l.At.Offset, cutSpanText(l.Before)
	if l.Prompt >= 0 {
		from, before = l.Prompt, ""
	}
	typed := l.Text
	if l.Shown != nil {
		typed = *l.Shown
	}
	if l.Edited && (l.Shown == nil || !strings.HasPrefix(rest, typed)) {
		// At a prompt, the line shows the effect of the keys; elsewhere, it may show anything.
		return Span{Line: l.At.Line, From: from, To: LineEnd}, l.Prompt >= 0
	}
	n, ok := cutEcho(rest, typed)
	if !ok {
		n, ok = cutRedrawn(rest, typed)
	}
	if !ok {
		return Span{}, false
	}
	after := rest[n:]
	right := l.Ended && !l.Kernel || strings.HasPrefix(after, "  ") && emulator.TextWidth(line) >= term.Size().Cols-2
	if strings.TrimSpace(after) == "" || right && l.Prompt >= 0 && after[0] == ' ' {
		// Text after the echo may be a prompt at the right edge.
		return Span{Line: l.At.Line, From: from, To: LineEnd, Before: before}, true
	}
	width := emulator.TextWidth(rest) - emulator.TextWidth(after)
	return Span{Line: l.At.Line, From: from, To: l.At.Offset + width, Before: before}, true
}

// redrawn returns the new span of an echo that ResolveAnchored has found, if a line editor has redrawn
// the row since. If the row has changed and does not show the echo, it is output.
func (l typedLine) redrawn(term *emulator.Terminal, prompts *detect.Prompts) (Span, bool) {
	line := emulator.Line{Number: l.At.Line, Text: term.LineText(l.At.Line)}
	if len(Unchanged([]Span{l.Early}, line.Text)) > 0 {
		return Span{}, false
	}
	if sp, ok := l.findAt(term); ok {
		return sp, true
	}
	return l.findIn(line, prompts)
}

// findIn looks for the echo after a prompt in line. If the terminal echoed the text in line mode, or if
// the text was pasted, the echo may also be at the beginning of line, without a prompt.
func (l typedLine) findIn(line emulator.Line, prompts *detect.Prompts) (Span, bool) {
	text := strings.TrimRight(l.Text, " ")
	if shows(line.Text, text) && (l.Kernel || l.Pasted && text != "") {
		return Span{Line: line.Number, From: 0, To: LineEnd}, true
	}
	if l.Kernel && !l.Ended && text != "" && strings.HasPrefix(line.Text, text) {
		return Span{Line: line.Number, From: 0, To: emulator.TextWidth(text)}, true // output follows: the answer to an earlier line
	}
	if n := prompts.Prefix(line.Text + " "); n > 0 && shows(strings.TrimRight(DropBytes(line.Text, n), " "), text) {
		return Span{Line: line.Number, From: 0, To: LineEnd}, true
	}
	before, ok := strings.CutSuffix(line.Text, text)
	bare := WithoutContinuation(line.Text)
	if ok && (isContinuation(before) || prompts.Continues(before)) || bare != line.Text && shows(bare, text) {
		return Span{Line: line.Number, From: 0, To: LineEnd}, true
	}
	return Span{}, false
}

// shows reports whether a line shows typed text. A tab in the text may be shown as blanks,
// or as ^I.
func shows(line, text string) bool {
	return line == text || strings.Contains(text, "\t") && withoutBlanks(strings.ReplaceAll(line, "^I", "")) == withoutBlanks(text)
}

// DropBytes returns s without its first n bytes.
func DropBytes(s string, n int) string {
	return s[min(n, len(s)):]
}

// maxContinuation is the longest continuation prompt, in bytes.
const maxContinuation = 40

// isContinuation reports whether text can be a continuation prompt: "> ", "... ", "quote> ",
// "   ...> ", "irb(main):002* ".
func isContinuation(text string) bool {
	if len(text) > maxContinuation {
		return false
	}
	bare := strings.TrimRight(text, " ")
	asks := strings.HasSuffix(bare, "?") && !strings.Contains(bare, " ") // tcsh: "foreach? "
	return bare == "..." || asks && bare != text || strings.HasSuffix(bare, "...:") || strings.HasSuffix(bare, "*") && bare != "*" ||
		detect.LooksLikePrompt(bare+" ")
}

// cutEcho returns the length in bytes of the echo of text at the beginning of rest. The line
// discipline echoes control characters as ^X (ECHOCTL), and lines have no trailing blanks.
func cutEcho(rest, text string) (n int, ok bool) {
	if strings.HasPrefix(rest, text) {
		return len(text), true
	}
	if trimmed := strings.TrimRight(text, " "); rest == trimmed {
		return len(rest), true
	}
	if shown := Readable(text); shown != text && strings.HasPrefix(rest, shown) {
		return len(shown), true
	}
	// Some line editors drop blanks (JLine, before a closing brace).
	if len(rest) > 0 && withoutBlanks(rest) == withoutBlanks(text) {
		return len(rest), true
	}
	return 0, false
}

// cutRedrawn is cutEcho for a row in which the beginning of the echo is followed by the whole echo in a
// later column. fish draws such a row when a background job has written after the prompt: fish
// redraws the line where it believes that its prompt ends.
func cutRedrawn(rest, text string) (n int, ok bool) {
	before, ok := strings.CutSuffix(strings.TrimRight(rest, " "), strings.TrimRight(text, " "))
	before = strings.TrimRight(before, " ")
	return len(rest), ok && before != "" && strings.HasPrefix(text, before)
}

// minScrolled is the length of the shortest part of a long line that identifies the line, in bytes.
const minScrolled = 16

// scrolled reports whether line is the part of a long text that a line editor shows when it scrolls
// sideways (ksh, readline without wrapping). The part may replace the prompt, and a sign (<, >, * or +)
// marks each end at which text is missing.
func scrolled(line, text string) bool {
	part := strings.Trim(line, " <>*+")
	return len(part) >= minScrolled && part != line && strings.Contains(text, part)
}

func withoutBlanks(text string) string { return blanks.Replace(text) }

// blanks removes blanks and tabs.
var blanks = strings.NewReplacer(" ", "", "\t", "")

// ForgetPasted forgets pasted lines whose echoes were not found. It is called when a shell runs a
// command, after the spans of the whole command were marked.
func (e *Echoes) ForgetPasted() {
	e.Pending = slices.DeleteFunc(e.Pending, func(l typedLine) bool { return l.Pasted })
}

// Unchanged returns the spans of a line whose text, and the text before it, has not changed. A span that
// has only lost its end counts as unchanged. Text that a program has written over a span is output.
func Unchanged(spans []Span, line string) []Span {
	unchanged := spans[:0:0]
	for _, sp := range spans {
		// A line editor may change the indentation of typed text.
		rest, text := withoutBlanks(emulator.CutCells(line, sp.From)), withoutBlanks(sp.Text)
		same := strings.HasPrefix(rest, text) || strings.HasPrefix(text, rest) || text == ""
		if same && StartsWith(line, sp.Before) {
			unchanged = append(unchanged, sp)
		}
	}
	return unchanged
}

// Strip returns the text of a line without its spans and without trailing blanks. empty reports that
// the line has spans and no other text. Strip sorts the slice spans.
func Strip(text string, spans []Span) (left string, empty bool) {
	left = strings.TrimRight(StripKeepBlanks(text, spans), " ")
	return left, len(spans) > 0 && left == ""
}

// StripKeepBlanks is like Strip, but keeps trailing blanks.
func StripKeepBlanks(text string, spans []Span) string {
	if len(spans) == 0 {
		return text
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].From < spans[j].From })
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

// SpansBetween returns spans that cover the text from one position up to another. If whole is true, the
// last span covers its line to the end. A text of more than maxLines lines is not covered whole.
func SpansBetween(from, to emulator.Position, whole bool) []Span {
	var spans []Span
	const maxLines = 1000 // only so many lines get spans
	for line := from.Line; line <= to.Line && line-from.Line < maxLines; line++ {
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

// UpTo returns the first n cells of text, padded with blanks.
func UpTo(text string, n int) string {
	if rest := emulator.CutCells(text, n); rest != "" {
		return text[:len(text)-len(rest)]
	}
	return text + strings.Repeat(" ", max(0, n-emulator.TextWidth(text)))
}

// WithoutContinuation returns the text of a command's second or later line without the
// continuation prompt.
func WithoutContinuation(text string) string {
	for i := 0; i < len(text) && i <= maxContinuation; i++ {
		if text[i] == ' ' && i > 0 && isContinuation(text[:i]) && strings.ContainsRune(">.*:", rune(text[i-1])) {
			return text[i+1:]
		}
	}
	return text
}
