package danger

import (
	"path"
	"regexp"
	"strings"
)

// maxWritten is how many files that a line writes are remembered.
const maxWritten = 32

// A target is a file that the output of a command goes to.
type target struct {
	path string
	more bool // behind what is in it
}

// wrote remembers what a command's output is, by the files that it goes to: they may
// be run later in the line.
func (s *shell) wrote(files []target, out stream) {
	for _, f := range files {
		p := path.Clean(f.path)
		if out.taint&fromNet != 0 {
			s.fetched[p] = true
		}
		old, ok := s.written[p]
		if !out.known || !ok && len(s.written) >= maxWritten {
			delete(s.written, p)
			continue
		}
		text := out.text
		if f.more {
			text = old + text
		}
		if len(text) <= maxValue {
			s.written[p] = text
		}
	}
}

// runsWritten reads a file that the line itself has written, as lang, and reports
// whether it has.
func (s *shell) runsWritten(lang Lang, p string) bool {
	text, ok := s.written[path.Clean(p)]
	if ok {
		s.k.inside(lang, text)
	}
	return ok
}

// loaderName finds the program that loads others: ld-linux-x86-64.so.2.
var loaderName = regexp.MustCompile(`^ld(?:-linux|-musl|\.so|64\.so)?[-\w.]*\.so(?:\.\d+)?$`)

// loads judges what the loader of programs is given to run.
func loads(c *command) stream {
	_, ops := splitArgs(c.args, "", true, "library-path", "preload", "argv0", "audit", "inhibit-rpath", "glibc-hwcaps-mask", "glibc-hwcaps-prepend")
	if len(ops) == 0 {
		return stream{}
	}
	return c.nested1(ops, c.in)
}

// tclRuns finds what Tcl gives to the system.
var tclRuns = regexp.MustCompile(`(?m)(?:^|[;\[{])\s*(?:exec|spawn|open\s+[{"]?\|)\s*([^\n;\]}]+)`)

// tclDeletes finds what Tcl deletes.
var tclDeletes = regexp.MustCompile(`\bfile\s+delete\s+(?:-force\s+)?(?:--\s+)?([^\s;\]}]+)`)

// tcl judges a program in Tcl, as far as it is given in the line.
func tcl(c *command) stream {
	text := ""
	if c.in.known {
		text = c.in.text
	}
	for _, a := range c.args {
		text += "\n" + a.s
		text += "\n" + c.written[path.Clean(a.s)]
	}
	for _, m := range tclRuns.FindAllStringSubmatch(text, maxLoop) {
		c.k.inside(Shell, strings.Trim(m[1], `{}" `))
	}
	for _, m := range tclDeletes.FindAllStringSubmatch(text, maxLoop) {
		p := strings.Trim(m[1], `{}"`)
		c.deletes(c.tilde(p, p), true, "")
	}
	return stream{}
}
