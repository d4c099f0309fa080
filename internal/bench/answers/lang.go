package main

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed helper
var helpers embed.FS

// writeHelpers writes the helpers for all languages into dir, with links to this
// program under its other names.
func writeHelpers(dir string) error {
	list, err := helpers.ReadDir("helper")
	if err != nil {
		return err
	}
	for _, f := range list {
		data, err := helpers.ReadFile("helper/" + f.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), data, 0o600); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range []string{emitName, spinName, echoName} {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// A lang turns a script into one command line of a language.
type lang struct {
	can    ability
	render func(r *rand.Rand, s script) string
	job    func(s script) string // a background job that does s; nil where the language has none
	tail   []string              // lines that the program adds to each answer, "=> nil"
	short  bool                  // the program prints the last line alone
}

// call is a language whose helper is a function named f.
func call(format string, tail ...string) lang {
	return lang{
		can:    canAll,
		render: func(_ *rand.Rand, s script) string { return fmt.Sprintf(format, s.String()) },
		tail:   tail,
	}
}

// posix is the language of sh and its relatives. Half of the scripts run the helper
// program, the other half use the shell's own commands.
func posix() lang {
	return lang{
		can:    canAll | canAsk | canJob,
		render: func(r *rand.Rand, s script) string { return shell(r, s, posixSpin) },
		job:    func(s script) string { return "(" + emitName + " " + s.String() + " &); " },
	}
}

// bashLang is posix with bash's own read for half of the questions.
func bashLang() lang {
	l := posix()
	plain := l.render
	l.render = func(r *rand.Rand, s script) string {
		if head, rest := s.split(); rest == nil || len(head) == len(s) || r.IntN(2) == 0 {
			return plain(r, s)
		}
		parts := make([]string, len(s))
		for i, st := range s {
			switch st.op {
			case opAsk:
				parts[i] = fmt.Sprintf(`read -r -p "%s? [Y/n] " x; printf '<%%s>\n' "=$x"`, st.word)
			case opPass:
				parts[i] = fmt.Sprintf(`read -r -s -p "%s password: " x; printf '\n<%%s>\n' "=${#x}"`, st.word)
			default:
				parts[i] = shellStep(st, posixSpin)
			}
		}
		return strings.Join(parts, "; ")
	}
	return l
}

// fishLang is posix with fish's loops.
func fishLang() lang {
	l := posix()
	l.render = func(r *rand.Rand, s script) string { return shell(r, s, awkSpin) }
	l.job = func(s script) string { return emitName + " " + s.String() + " &; disown; " }
	return l
}

// shell renders s with emit or with printf, sleep and seq.
func shell(r *rand.Rand, s script, spin func(time.Duration) string) string {
	asks, rest := s.split()
	if rest != nil || len(asks) < len(s) || r.IntN(2) == 0 {
		return emitName + " " + s.String()
	}
	parts := make([]string, len(s))
	for i, st := range s {
		parts[i] = shellStep(st, spin)
	}
	return strings.Join(parts, "; ")
}

// shellStep is one step in a shell's own words.
func shellStep(st step, spin func(time.Duration) string) string {
	switch st.op {
	case opLine:
		return fmt.Sprintf(`printf '<%%s>\n' %s`, st.word)
	case opRaw:
		var b strings.Builder
		for _, c := range []byte(st.word) {
			fmt.Fprintf(&b, `\%03o`, c)
		}
		return "printf '" + b.String() + "'"
	case opPause:
		return "sleep " + seconds(st.d)
	case opSpin:
		return spin(st.d)
	case opRows:
		return fmt.Sprintf(`seq -f '<%%g>' %d`, st.n)
	case opBurst:
		var p []string
		for i := 1; i <= st.n; i++ {
			p = append(p, fmt.Sprintf(`printf '<%%s>\n' %d; sleep %s`, i, seconds(st.d)))
		}
		return strings.Join(p, "; ")
	}
	return emitName + " " + script{st}.String()
}

// posixSpin counts in the shell itself, very roughly for d.
func posixSpin(d time.Duration) string {
	return fmt.Sprintf("i=0; while [ $i -lt %d ]; do i=$((i+1)); done", d.Milliseconds()*200)
}

// awkSpin counts in awk, very roughly for d.
func awkSpin(d time.Duration) string {
	return fmt.Sprintf("awk 'BEGIN{for(i=0;i<%d;i++)n+=i}'", d.Milliseconds()*10_000)
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
}

// sqlite writes rows with select and computes with a recursive query.
func sqlite() lang {
	return lang{can: canSpin | canMany | canPause, render: func(_ *rand.Rand, s script) string {
		parts := make([]string, len(s))
		for i, st := range s {
			switch st.op {
			case opLine:
				parts[i] = fmt.Sprintf("select '<'||'%s>';", st.word)
			case opSpin:
				parts[i] = fmt.Sprintf("with recursive c(x) as (select 1 union all select x+1 from c limit %d) select x from c where x<0;", st.d.Milliseconds()*4000)
			case opRows:
				parts[i] = fmt.Sprintf("with recursive c(x) as (select 1 union all select x+1 from c limit %d) select '<'||x||'>' from c;", st.n)
			default: // The CLI has no sleep; a dot command must stand alone.
				return ".shell " + emitName + " " + s.String()
			}
		}
		return strings.Join(parts, " ")
	}}
}

// bc prints numbers and computes.
func bc() lang {
	return lang{can: canSpin | canMany, render: func(_ *rand.Rand, s script) string {
		parts := make([]string, len(s))
		for i, st := range s {
			switch st.op {
			case opSpin:
				parts[i] = fmt.Sprintf("for(i=0;i<%d;i++)j=i", st.d.Milliseconds()*1500)
			case opRows:
				parts[i] = fmt.Sprintf(`for(i=1;i<=%d;i++)print "<",i,">\n"`, st.n)
			default:
				parts[i] = fmt.Sprintf(`print "<","%s>\n"`, st.word)
			}
		}
		return strings.Join(parts, "; ")
	}}
}

// jshell is Java.
func jshell() lang {
	return lang{can: canPause | canMany | canSpin, render: func(_ *rand.Rand, s script) string {
		parts := make([]string, len(s))
		for i, st := range s {
			switch st.op {
			case opPause:
				parts[i] = fmt.Sprintf("Thread.sleep(%d);", st.d.Milliseconds())
			case opSpin:
				parts[i] = fmt.Sprintf("for (long t = System.nanoTime() + %dL; System.nanoTime() < t;);", st.d.Nanoseconds())
			case opRows:
				parts[i] = fmt.Sprintf(`for (int i = 1; i <= %d; i++) System.out.println("<" + i + ">");`, st.n)
			default:
				parts[i] = fmt.Sprintf(`System.out.println("<" + "%s>");`, st.word)
			}
		}
		return "{ " + strings.Join(parts, " ") + " }"
	}}
}

// dc has no prompt at all.
func dc() lang {
	return lang{render: func(_ *rand.Rand, s script) string {
		parts := make([]string, len(s))
		for i, st := range s {
			parts[i] = fmt.Sprintf("[<]n[%s>]p", st.word)
		}
		return strings.Join(parts, " ")
	}}
}

// gdb runs the Python helper inside itself, or a child.
func gdb() lang {
	return lang{can: canAll, render: func(r *rand.Rand, s script) string {
		if r.IntN(2) == 0 {
			return "shell " + emitName + " " + s.String()
		}
		return fmt.Sprintf(`python e("%s")`, s)
	}}
}

// echoing is the language of cat: the line typed is the answer.
func echoing() lang {
	return lang{short: true, render: func(_ *rand.Rand, s script) string {
		return "<" + s[len(s)-1].word + ">"
	}}
}
