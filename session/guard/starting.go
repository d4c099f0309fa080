package guard

import (
	"slices"

	"github.com/glasstty/glasstty/internal/danger"
)

// startable returns the languages of the programs that a line may start, except p's own. Only
// a shell's line may start programs. danger.Client is not listed: a line with which sftp runs
// a local command begins with !, as an editor's does.
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

// starting returns the index of the stroke before which an input must be cut, or -1. By then
// the line before may have started a program, which would read a line that is held for such
// a program: vim reads :!command, which is harmless in a shell. As with leaving, index 0
// means that an earlier input may have started it.
func (l *Look) starting(c *danger.Checker, strokes Strokes) int {
	reader := l.Program
	if reader.Langs = l.Program.startable(); reader.Langs == nil {
		return -1
	}
	line, from, at := l.Line.Clone(), 0, -1
	script := l.Past.Script // unfinished lines: the shell reads the next line as their continuation, so nothing has started
	for s := range strokes {
		if at++; s.Does == Submits {
			ahead := from > 0 || !l.Settled
			if ahead && script == "" && l.holds(c, reader, []string{string(line.Text)}) {
				return from
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
