package mcpserver

import (
	"fmt"
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

// replyText renders r for the model: the output or screen verbatim, then one status line.
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

// outputText renders r's output. Raw output contains no lines of the server.
func outputText(r *session.Reply) string {
	return text.MarkProgram(valid(r.Output), strings.ContainsRune(r.Output, 0x1b))
}

// screenHead is the line between the output and the screen of view both.
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

// statusLine renders the other fields of the reply in one line.
func statusLine(r *session.Reply) string {
	parts := append([]string{r.SessionID + " " + life(r.Status, r.ExitCode)}, reasonParts(r)...)
	parts = append(parts, brief(r.Elapsed))
	parts = append(parts, placeParts(r)...)
	parts = append(parts, lossParts(r)...)
	for _, e := range newEvents(r.Events) {
		parts = append(parts, strings.TrimSpace(e.Type+" "+quotedShort(e.Text)))
	}
	if r.Explain != nil {
		parts = append(parts, "by "+string(r.Explain.Layer)+": "+strings.Join(r.Explain.Evidence, ", "))
	}
	parts = append(parts, r.Notes...)
	if r.Hint != "" {
		parts = append(parts, r.Hint)
	}
	return bracket(parts)
}

// bracket joins the parts of a status line into one line.
func bracket(parts []string) string {
	return "[" + visible(strings.Join(parts, separator)) + "]"
}

// withEnd appends the reason why the server has ended a session to parts, if it has.
func withEnd(parts []string, s *session.Session) []string {
	if why := s.Facts().Ended; why != "" {
		return append(parts, why)
	}
	return parts
}

// visible returns text as one line, without invisible characters and bidirectional
// controls.
func visible(text string) string {
	var b strings.Builder
	for _, r := range valid(text) {
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

// life returns the status of the child, with its exit code.
func life(s session.Status, code *int) string {
	if s == session.StatusExited && code != nil {
		return fmt.Sprintf("exited %d", *code)
	}
	return string(s)
}

// reasonParts are the reason why the call returned, except an exit, which the status has.
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

// longPrompt is the length in bytes from which a prompt is not repeated in each reply.
const longPrompt = 24

// promptPart is the waiting prompt, unless the reply shows it already: a question is the
// last line of the output, and a long prompt that has not changed is not repeated.
func promptPart(r *session.Reply) string {
	asked := strings.TrimRight(r.Prompt, " ")
	last := r.Output[strings.LastIndexByte(r.Output, '\n')+1:]
	switch {
	case r.Prompt == "":
		return ""
	case r.Reason != detect.Prompt && r.HasOutput && asked != "" && strings.TrimRight(last, " ") == asked:
		return ""
	case r.PromptTold && len(r.Prompt) >= longPrompt:
		return "as before"
	}
	return quoted(outer(r.Prompt))
}

// outer returns s, or its two ends with … between them when it is longer than maxQuoted: a
// prompt includes a typed line that was not submitted.
func outer(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	return runes.Clip(s, maxQuoted/2) + strings.ToValidUTF8(s[len(s)-maxQuoted/2:], "")
}

// placeParts are the state of the program: title, directory, foreground process, and for a
// screen the cursor and the revision to feed back.
func placeParts(r *session.Reply) []string {
	var parts []string
	for _, p := range []struct {
		name  string
		value *string
	}{{"title", r.Title}, {"cwd", r.Cwd}, {"foreground", r.Foreground}} {
		if p.value != nil && *p.value != "" {
			parts = append(parts, p.name+" "+quotedShort(*p.value))
		}
	}
	if r.FullScreen {
		parts = append(parts, "fullscreen")
	}
	if len(r.Selected) > 0 {
		parts = append(parts, selectedPart(r.Selected))
	}
	if r.Screen != nil || r.Diff != nil {
		parts = append(parts, fmt.Sprintf("cursor %d,%d", r.Cursor.Row, r.Cursor.Col))
	}
	if r.Screen != nil || r.Diff != nil || !r.Reason.Complete() {
		parts = append(parts, fmt.Sprintf("revision %d", r.Revision))
	}
	return parts
}

// lossParts describe the output that is missing from the reply.
func lossParts(r *session.Reply) []string {
	var parts []string
	if r.HasMore {
		parts = append(parts, "has_more")
	}
	if r.DroppedBytes > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes dropped", r.DroppedBytes))
	}
	return parts
}

// quoted returns s as one line in quotes, "" for nothing. Quotes keep a program's text from
// looking like a part of the status line.
func quoted(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

// maxQuoted bounds a quoted text in a status line, in bytes.
const maxQuoted = 200

// quotedShort is quoted with at most maxQuoted bytes of s.
func quotedShort(s string) string { return quoted(runes.Clip(s, maxQuoted)) }

// brief renders a duration for people.
func brief(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return strconv.FormatFloat(seconds(d.Round(100*time.Millisecond)), 'f', -1, 64) + " s"
	}
	return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
}

// plural counts things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
