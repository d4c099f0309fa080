package mcpserver

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/text"
)

// separator stands between the parts of a status line.
const separator = " · "

// replyText renders r for the model: the output, the screen or its changed rows, then one
// status line.
func replyText(r *session.Reply) string {
	var body []string
	if out := outputText(r); r.HasOutput && out != "" {
		body = append(body, out)
	}
	switch {
	case r.Screen != nil && len(body) > 0:
		body = append(body, screenHead(r), text.MarkProgram(r.Shown, false))
	case r.Screen != nil:
		body = append(body, text.MarkProgram(r.Shown, false))
	case r.Diff != nil:
		if len(body) > 0 {
			body = append(body, "[rows changed]")
		}
		body = append(body, text.Diff(r.Diff))
	}
	return withStatus(statusLine(r), body...)
}

// outputText renders r's output. Output with an escape character is raw: it contains no lines that
// the server added.
func outputText(r *session.Reply) string {
	return text.MarkProgram(r.Output, strings.ContainsRune(r.Output, 0x1b))
}

// screenHead returns the line that separates output and screen if a reply shows both.
func screenHead(r *session.Reply) string {
	return fmt.Sprintf("[screen %d×%d]", r.Screen.Size.Rows, r.Screen.Size.Cols)
}

// withStatus joins the parts of a body and ends it with the status line.
func withStatus(status string, body ...string) string {
	var b strings.Builder
	for _, part := range body {
		b.WriteString(part)
		if part != "" && !strings.HasSuffix(part, "\n") {
			b.WriteByte('\n')
		}
	}
	b.WriteString(status)
	return b.String()
}

// statusLine renders r in one line, without the output and the screen.
func statusLine(r *session.Reply) string {
	parts := slices.Concat([]string{r.SessionID + " " + statusText(r.Status, r.ExitCode)}, reasonParts(r), []string{formatDuration(r.Elapsed)}, stateParts(r), lossParts(r))
	for _, e := range newEvents(r.Events) {
		parts = append(parts, strings.TrimSpace(e.Type+" "+quotedShort(e.Text)))
	}
	if r.Explain != nil {
		parts = append(parts, "by "+string(r.Explain.Layer)+": "+strings.Join(r.Explain.Evidence, ", "))
	}
	return bracket(append(append(parts, r.Notes...), r.Hint))
}

// bracket returns a status line of the parts that are not empty. It changes parts.
func bracket(parts []string) string { return "[" + sanitize(joinParts(parts)) + "]" }

// joinParts joins the parts that are not empty. It changes parts.
func joinParts(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), separator)
}

// namedPart returns the part of a status line that shows a value, or "" if the value is empty. It
// quotes the value, because a program's text could look like other parts of the line.
func namedPart(name, value string) string {
	if value == "" {
		return ""
	}
	return name + " " + quotedShort(value)
}

// textIf returns part, or "" if the condition is false.
func textIf(condition bool, part string) string {
	if condition {
		return part
	}
	return ""
}

// sanitize returns text as one line. It replaces control characters with spaces, and invisible
// characters, including bidirectional controls, with their codes.
func sanitize(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsControl(r) || r == 0x2028 || r == 0x2029:
			b.WriteByte(' ')
		case unicode.Is(unicode.Cf, r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// statusText returns the status of the child, with its exit code.
func statusText(s session.Status, code *int) string {
	if s == session.StatusExited && code != nil {
		return fmt.Sprintf("exited %d", *code)
	}
	return string(s)
}

// reasonParts returns why the call returned, and the exit code of a failed command. It omits the exit
// of the program, which the status already shows.
func reasonParts(r *session.Reply) []string {
	var parts []string
	switch r.Reason {
	case detect.Exited:
	case detect.Settled:
		parts = append(parts, "settled, a guess")
	default:
		parts = append(parts, strings.TrimSpace(string(r.Reason)+" "+promptPart(r)))
	}
	if l := r.Last; l != nil && l.ExitCode != 0 && r.Reason == detect.Prompt {
		parts = append(parts, fmt.Sprintf("command exit %d", l.ExitCode))
	}
	return parts
}

// longPrompt is the minimum length in bytes of a prompt that is not repeated in each reply.
const longPrompt = 24

// promptPart returns the waiting prompt. It returns "" for a question that is the last line of the
// output. Instead of a long prompt that has not changed, it returns a text with "as before".
func promptPart(r *session.Reply) string {
	asked := strings.TrimRight(r.Prompt, " ")
	last := r.Output[strings.LastIndexByte(r.Output, '\n')+1:]
	switch {
	case r.Prompt == "":
		return ""
	case r.Reason != detect.Prompt && r.HasOutput && asked != "" && strings.TrimRight(last, " ") == asked:
		return ""
	case r.PromptRepeated && len(r.Prompt) >= longPrompt:
		return textIf(r.Reason != detect.Prompt, "with the prompt ") + "as before"
	}
	return quoted(clipMiddle(r.Prompt))
}

// clipMiddle returns s, or its two ends with … between them if it is longer than maxQuoted. A
// prompt can be long, because it includes typed text that was not submitted.
func clipMiddle(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	return runes.Clip(s, maxQuoted/2) + strings.ToValidUTF8(s[len(s)-maxQuoted/2:], "")
}

// stateParts returns the state of the program: title, directory, foreground process and
// selection. It adds the cursor if a screen is shown, and the revision if the client may need it
// for since.
func stateParts(r *session.Reply) []string {
	shown := r.Screen != nil || r.Diff != nil
	return []string{
		namedPart("title", deref(r.Title)), namedPart("cwd", deref(r.Cwd)), namedPart("foreground", deref(r.Foreground)),
		textIf(r.FullScreen, "fullscreen"), selectedPart(r.Selected),
		textIf(shown, fmt.Sprintf("cursor %d,%d", r.Cursor.Row, r.Cursor.Col)),
		textIf(shown || !r.Reason.Complete(), fmt.Sprintf("revision %d", r.Revision)),
	}
}

// deref returns *p, or "" if p is nil.
func deref(p *string) string { return *cmp.Or(p, new(string)) }

// lossParts describes the output that the reply does not have.
func lossParts(r *session.Reply) []string {
	return []string{textIf(r.HasMore, "has_more"), textIf(r.DroppedBytes > 0, fmt.Sprintf("%d bytes dropped", r.DroppedBytes))}
}

// quoted returns s quoted on one line, or an empty string if s is empty.
func quoted(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

// maxQuoted is the maximum number of bytes of a text that a status line quotes.
const maxQuoted = 200

// quotedShort quotes at most the first maxQuoted bytes of s.
func quotedShort(s string) string { return quoted(runes.Clip(s, maxQuoted)) }

// formatDuration renders a duration for people.
func formatDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return strconv.FormatFloat(seconds(d.Round(100*time.Millisecond)), 'f', -1, 64) + " s"
	}
	return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
}

// plural formats n with a noun, and adds an "s" unless n is 1.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
