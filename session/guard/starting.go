package guard

import (
	"slices"

	"github.com/glasstty/glasstty/internal/danger"
)

// startable returns the languages of the programs that a line may start, except p's own. Only a shell's
// line may start programs. danger.Client is not in the list, because a line with which sftp runs a local
// command begins with !, and danger.Vim already covers such lines.
func (p *Program) startable() (langs []danger.Lang) {
	if !slices.Contains(p.Langs, danger.Shell) {
		return nil
	}
	for _, lang := range []danger.Lang{danger.Vim, danger.GDB, danger.SQL, danger.Redis, danger.Mongo, danger.Python, danger.Node, danger.Ruby, danger.Perl} {
		if !slices.Contains(p.Langs, lang) {
			langs = append(langs, lang)
		}
	}
	return langs
}

// cutBeforeStart returns the index of the key before which an input must be cut, or -1. The line that
// begins at that key would be held if a program other than the shell read it, and the previous line may
// have started such a program: ":!command" is harmless in a shell, but vim runs the command. Index 0
// means that an earlier input may have started the program.
func (l *View) cutBeforeStart(c *danger.Checker, keys Keystrokes) int {
	reader := l.Program
	if reader.Langs = l.Program.startable(); reader.Langs == nil {
		return -1
	}
	line, from, at := l.Line.Clone(), 0, -1
	script := l.Past.Script // unfinished lines: the shell reads the next line as their continuation, and starts nothing
	for s := range keys {
		if at++; s.Effect == Submits {
			ahead := from > 0 || !l.Settled
			if ahead && script == "" {
				if d := l.judge(c, reader, []string{string(line.Text)}); d.Held() {
					return from
				}
			}
			if script += string(line.Text) + "\n"; len(script) > maxScript || !danger.Incomplete(danger.Shell, script) {
				script = ""
			}
			from = at + 1
		}
		line.Apply(s)
	}
	return -1
}
