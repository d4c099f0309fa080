package danger

import "regexp"

// An interpreter says in which language a program reads, and behind which of its
// options a program stands.
type interpreter struct {
	lang  Lang
	flags []string
	verbs []string // a program stands behind one of these words: deno eval
}

// interpreters are the programs that run text in a language, by their names without a
// version. Where a language has no reader of its own, Perl's stands for it: its calls
// look alike, system("…") and unlink("…"), and it takes what it finds.
var interpreters = map[string]interpreter{
	"python": {Python, pythonFlags, nil}, "ipython": {Python, pythonFlags, nil}, "bpython": {Python, pythonFlags, nil}, "ptpython": {Python, pythonFlags, nil}, "pypy": {Python, pythonFlags, nil},
	"xonsh": {Python, pythonFlags, nil}, "sage": {Python, pythonFlags, nil}, "jython": {Python, pythonFlags, nil}, "micropython": {Python, pythonFlags, nil}, "hy": {Python, pythonFlags, nil},
	"node": {Node, nodeFlags, nil}, "nodejs": {Node, nodeFlags, nil}, "bun": {Node, nodeFlags, nil}, "deno": {Node, nodeFlags, []string{"eval"}}, "tsx": {Node, nodeFlags, nil}, "ts-node": {Node, nodeFlags, nil},
	"qjs": {Node, nodeFlags, nil}, "coffee": {Node, nodeFlags, nil}, "zx": {Node, nodeFlags, nil}, "electron": {Node, nodeFlags, nil},
	"ruby": {Ruby, []string{"-e"}, nil}, "irb": {Ruby, []string{"-e"}, nil}, "pry": {Ruby, []string{"-e"}, nil}, "jruby": {Ruby, []string{"-e"}, nil}, "crystal": {Ruby, nil, []string{"eval"}},
	"perl": {Perl, []string{"-e", "-E"}, nil}, "raku": {Perl, []string{"-e"}, nil}, "php": {Perl, []string{"-r", "-B", "-R", "--run"}, nil}, "lua": {Perl, []string{"-e"}, nil}, "luajit": {Perl, []string{"-e"}, nil},
	"Rscript": {Perl, []string{"-e"}, nil}, "R": {Perl, []string{"-e"}, nil}, "littler": {Perl, []string{"-e"}, nil}, "julia": {Perl, []string{"-e", "-E", "--eval", "--print"}, nil}, "octave": {Perl, []string{"--eval"}, nil}, "octave-cli": {Perl, []string{"--eval"}, nil}, "jrunscript": {Node, []string{"-e"}, nil}, "jjs": {Node, nil, nil}, "matlab": {Perl, []string{"-r", "-batch"}, nil},
	"gnuplot": {Perl, []string{"-e"}, nil}, "elixir": {Perl, []string{"-e", "--eval", "--rpc-eval"}, nil}, "iex": {Perl, []string{"-e"}, nil}, "erl": {Perl, []string{"-eval"}, nil}, "scala": {Perl, []string{"-e"}, nil}, "scala-cli": {Perl, []string{"-e"}, []string{"eval"}},
	"groovy": {Perl, []string{"-e"}, nil}, "kotlin": {Perl, []string{"-e"}, nil}, "kotlinc": {Perl, []string{"-e"}, nil}, "jshell": {Perl, []string{"-s"}, nil}, "swift": {Perl, []string{"-e"}, nil}, "nim": {Perl, []string{"--eval"}, nil},
	"guile": {Perl, []string{"-c"}, nil}, "sbcl": {Perl, []string{"--eval"}, nil}, "clisp": {Perl, []string{"-x"}, nil}, "ecl": {Perl, []string{"--eval"}, nil}, "racket": {Perl, []string{"-e", "--eval"}, nil}, "clojure": {Perl, []string{"-e", "--eval"}, nil}, "clj": {Perl, []string{"-e"}, nil},
	"bb": {Perl, []string{"-e"}, nil}, "csi": {Perl, []string{"-e"}, nil}, "emacs": {Perl, []string{"--eval", "-eval", "--execute"}, nil}, "emacsclient": {Perl, []string{"-e", "--eval"}, nil}, "janet": {Perl, []string{"-e"}, nil}, "newlisp": {Perl, []string{"-e"}, nil},
	"ocaml": {Perl, []string{"-e"}, nil}, "ghc": {Perl, []string{"-e"}, nil}, "runghc": {Perl, nil, nil}, "stack": {Perl, nil, []string{"eval"}}, "swipl": {Perl, []string{"-g", "-t"}, nil}, "dart": {Perl, nil, nil}, "osascript": {Perl, []string{"-e"}, nil},
	"csharp": {Perl, []string{"-e"}, nil}, "dotnet-script": {Perl, nil, []string{"eval"}}, "fennel": {Perl, []string{"-e"}, nil}, "wolframscript": {Perl, []string{"-c", "-code"}, nil}, "gjs": {Node, []string{"-c"}, nil}, "tinker": {Perl, []string{"--execute"}, nil},
}

var (
	pythonFlags = []string{"-c"}
	nodeFlags   = []string{"-e", "-p", "--eval", "--print", "-pe"}
)

// bareUnlink finds Perl's unlink of the line that it has read.
var bareUnlink = regexp.MustCompile(`\bunlink\s*(?:;|\}|$|\$_|\(\s*\$_)`)

// version finds the version at the end of an interpreter's name: python3.11.
var version = regexp.MustCompile(`^([A-Za-z][A-Za-z_-]*?)-?[0-9][0-9.]*t?$`)

// interpreterOf returns the interpreter of a name.
func interpreterOf(name string) (interpreter, bool) {
	if in, ok := interpreters[name]; ok {
		return in, true
	}
	if m := version.FindStringSubmatch(name); m != nil {
		in, ok := interpreters[m[1]]
		return in, ok
	}
	return interpreter{}, false
}

// interpret reads the program that an interpreter is given in its arguments or on
// its standard input, or what the line has put into the file that it is given.
func (c *command) interpret(in interpreter) stream {
	given := false
	for _, v := range c.values(in.flags...) {
		given = true
		c.program(in.lang, v)
		if in.lang == Perl && bareUnlink.MatchString(v.s) {
			for _, p := range c.in.items {
				c.deletes(p, true, "")
			}
		}
	}
	if in.lang == Perl || in.lang == Ruby {
		c.inPlace()
	}
	_, ops := splitArgs(c.args, "", true)
	if len(ops) > 1 && contains(in.verbs, ops[0].s) {
		given = true
		c.program(in.lang, ops[1])
	}
	if !given && len(ops) > 0 && ops[0].s != "-" && !c.any("-m") {
		c.runsFile(in.lang, ops)
		given = true
	}
	if in.lang == Python && len(ops) > 1 && c.any("-m") {
		(&command{shell: c.shell, name: ops[0].s, args: ops[1:], in: c.in}).destroys()
	}
	if given || c.any("-m") {
		for _, o := range ops {
			if o.src != nil {
				c.tainted(o.src.taint, o.s)
			}
		}
		return stream{}
	}
	if !c.in.tty && !c.tainted(c.in.taint, "") && c.in.known {
		c.k.inside(in.lang, c.in.text)
	}
	return stream{}
}

// program reads a program that stands in an argument.
func (c *command) program(lang Lang, v field) {
	if v.src == nil || !c.tainted(v.src.taint, v.s) {
		c.k.inside(lang, v.s)
	}
}

// runsFile judges a script, and the words that it is given: manage.py flush.
func (c *command) runsFile(lang Lang, ops []field) {
	f := ops[0]
	switch {
	case f.src != nil:
		if !c.tainted(f.src.taint, f.s) && f.src.known {
			c.k.inside(lang, f.src.text)
		}
	case c.downloaded(f.s):
		c.k.add("remote", c.line(), "runs what it has just downloaded")
	default:
		c.runsWritten(lang, f.s)
	}
	script := &command{shell: c.shell, name: base(f.s), args: ops[1:], in: c.in}
	script.destroys()
}
