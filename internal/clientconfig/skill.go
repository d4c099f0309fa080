package clientconfig

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/shellquote"
)

// skill contains the instructions for an agent that has only a shell.
//
//go:embed skill.md
var skill string

// The text around the instructions. It identifies a skill or a section as ours.
const (
	skillBegin = "---\nname: glasstty\n" // the same in all versions
	skillHead  = skillBegin + `description: Runs programs in a real terminal from the shell. Use it when a program asks questions, needs a password or keys, draws full screens, or has to keep running between commands - REPLs, debuggers, editors, installers, ssh, dev servers.
---

`
	sectionBegin = "<!-- glasstty: made by glasstty setup agents-md -->"
	sectionEnd   = "<!-- /glasstty -->"
)

// instructions returns skill, with a note about glasstty's path if glasstty is not in PATH.
func instructions(s Server) string {
	if command := s.shellCommand(); command != "glasstty" {
		return skill + "\n`glasstty` is not in your PATH: write `" + command + "` instead.\n"
	}
	return skill
}

// shellCommand returns the shell command that runs glasstty, without serveCommand and what follows it.
func (s Server) shellCommand() string {
	line := s.argv()
	for i, w := range line {
		if w == serveCommand && i > 0 {
			line = line[:i]
			break
		}
	}
	return shellquote.Line(line...)
}

// editSkill implements edit for a skill file, which this or an older version of glasstty has written.
func editSkill(data []byte, s Server, remove bool) ([]byte, error) {
	if len(bytes.TrimSpace(data)) > 0 && !bytes.HasPrefix(data, []byte(skillBegin)) {
		return nil, fmt.Errorf("%w: this file is not a glasstty skill; move it away first", ErrTaken)
	}
	if remove {
		return nil, nil
	}
	return []byte(skillHead + "# glasstty\n\n" + instructions(s)), nil
}

// section returns the span of our section, or an empty span at the end of data.
func section(data []byte) (span, error) {
	begin, end := linesOf(data, sectionBegin), linesOf(data, sectionEnd)
	switch {
	case len(begin) == 0 && len(end) == 0:
		return span{len(data), len(data)}, nil
	case len(begin) != 1 || len(end) != 1 || end[0] < begin[0]:
		return span{}, fmt.Errorf("%w: want one line %s, followed by one line %s", ErrNotEditable, sectionBegin, sectionEnd)
	}
	at := span{begin[0], len(data)}
	if n := bytes.IndexByte(data[end[0]:], '\n'); n >= 0 {
		at.end = end[0] + n + 1
	}
	return at, nil
}

// linesOf returns the offsets of the lines that equal want, apart from white space at their end.
func linesOf(data []byte, want string) (found []int) {
	at := 0
	for line := range bytes.Lines(data) {
		if strings.TrimRight(string(line), " \t\r\n") == want {
			found = append(found, at)
		}
		at += len(line)
	}
	return found
}

// editSection implements edit for a file of instructions such as AGENTS.md: it replaces our
// section, or appends it.
func editSection(data []byte, s Server, remove bool) ([]byte, error) {
	at, err := section(data)
	if err != nil {
		return nil, err
	}
	text := sectionBegin + "\n## glasstty\n\n" + instructions(s) + sectionEnd + "\n"
	isNew := at.start == at.end
	switch {
	case remove && isNew, string(data[at.start:at.end]) == text && !remove:
		return data, nil
	case remove:
		if text = ""; bytes.HasSuffix(data[:at.start], []byte("\n\n")) {
			at.start-- // the blank line before the section
		}
	case isNew && len(data) > 0:
		if text = "\n" + text; !bytes.HasSuffix(data, []byte("\n")) {
			text = "\n" + text
		}
	}
	return splice(data, at, text), nil
}
