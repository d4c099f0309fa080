package clientconfig

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
)

// skill are the instructions for an agent with only a shell.
//
//go:embed skill.md
var skill string

// The text around the instructions, which identifies them as ours.
const (
	skillHead = `---
name: glasstty
description: Runs programs in a real terminal from the shell. Use it when a program asks questions, needs a password or keys, draws full screens, or has to keep running between commands - REPLs, debuggers, editors, installers, ssh, dev servers.
---

`
	sectionBegin = "<!-- glasstty: made by glasstty setup agents-md -->"
	sectionEnd   = "<!-- /glasstty -->"
)

// instructions returns the text, with glasstty's command when that is not in PATH.
func instructions(s Server) string {
	if command := s.shellCommand(); command != npmPackage {
		return skill + "\n`glasstty` is not in your PATH: write `" + command + "` instead.\n"
	}
	return skill
}

// shellCommand returns the command of the server's program for a shell.
func (s Server) shellCommand() string {
	line := s.line()
	for i, w := range line {
		if w == serveCommand && i > 0 {
			line = line[:i]
			break
		}
	}
	for i, w := range line {
		if strings.ContainsAny(w, " '\"\\$`&|;<>()*?[]#~!{}\t\n") {
			line[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(line, " ")
}

// mergeSkill returns the file of the skill.
func mergeSkill(data []byte, s Server) ([]byte, error) {
	if err := ourSkill(data); err != nil {
		return nil, err
	}
	text := skillHead + "# glasstty\n\n" + instructions(s)
	if string(data) == text {
		return data, nil
	}
	return []byte(text), nil
}

// removeSkill returns nil when the file is the skill.
func removeSkill(data []byte) ([]byte, error) { return nil, ourSkill(data) }

// ourSkill checks that a file is the skill, of any version.
func ourSkill(data []byte) error {
	if len(bytes.TrimSpace(data)) > 0 && !bytes.HasPrefix(data, []byte("---\nname: glasstty\n")) {
		return fmt.Errorf("%w: the file does not begin as the skill glasstty does", ErrTaken)
	}
	return nil
}

// section returns the span of our section, or an empty one at the end.
func section(data []byte) (span, error) {
	begin, end := linesOf(data, sectionBegin), linesOf(data, sectionEnd)
	switch {
	case len(begin) == 0 && len(end) == 0:
		return span{len(data), len(data)}, nil
	case len(begin) != 1 || len(end) != 1 || end[0] < begin[0]:
		return span{}, fmt.Errorf("%w: the lines %s and %s are not there once and in this order", ErrByHand, sectionBegin, sectionEnd)
	}
	return wholeLines(data, span{begin[0], end[0] + len(sectionEnd)}), nil
}

// linesOf returns the offsets of the lines that equal want.
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

// mergeSection replaces our section in a file of instructions, or adds it at the end.
func mergeSection(data []byte, s Server) ([]byte, error) {
	at, err := section(data)
	if err != nil {
		return nil, err
	}
	text := sectionBegin + "\n## glasstty\n\n" + instructions(s) + sectionEnd + "\n"
	if string(data[at.start:at.end]) == text {
		return data, nil
	}
	if at.start == at.end && len(data) > 0 {
		text = strings.Repeat("\n", 2-min(1, bytes.Count(data[len(data)-1:], []byte("\n")))) + text
	}
	return splice(data, at, text), nil
}

// removeSection removes our section from a file of instructions.
func removeSection(data []byte) ([]byte, error) {
	at, err := section(data)
	if err != nil || at.start == at.end {
		return data, err
	}
	if before := data[:at.start]; bytes.HasSuffix(before, []byte("\n\n")) {
		at.start--
	}
	if rest := splice(data, at, ""); len(rest) > 0 {
		return rest, nil
	}
	return nil, nil
}
