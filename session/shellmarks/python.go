package shellmarks

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/internal/environ"
)

//go:embed scripts/run.py
var pythonRun string

// PythonRun returns the definition of the Python function __glasstty_run, which runs a
// user's startup file as Python itself would.
func PythonRun() string { return strings.TrimSpace(pythonRun) }

// pythonSyntax is the syntax of Python's options (python(1)). With a script, Python does not run
// PYTHONSTARTUP, not even with -i.
var pythonSyntax = syntax{
	unmarked: []string{
		"-c", "-m", "-E", "-I", "-V", "--version", "-h", "-?", "--help", "--help-all", "--help-env", "--help-xoptions", "-", "--",
	},
	values: []string{"-W", "-X", "--check-hash-based-pycs"},
}

// preparePython sets PYTHONSTARTUP to a file that runs the file in the user's PYTHONSTARTUP.
func preparePython(s *Setup) error {
	user := "None"
	if file, ok := environ.Get(s.Env, "PYTHONSTARTUP"); ok && file != "" {
		user = pythonQuote(file)
	}
	path, err := s.write("startup.py", "startup.py", "@RUN@", PythonRun(), "@USER@", user, `@NONCE@`, strconv.Quote(s.Nonce))
	s.Env = environ.With(s.Env, "PYTHONSTARTUP", path)
	return err
}

// pythonQuote returns a Python expression for s. Python decodes the bytes of s as it decodes its
// environment (PEP 383), so none is lost.
func pythonQuote(s string) string {
	var b strings.Builder
	b.WriteString(`__import__("os").fsdecode(b"`)
	for i := range len(s) {
		b.WriteString(`\x`)
		b.WriteString(strconv.FormatUint(uint64(s[i])|0x100, 16)[1:])
	}
	b.WriteString(`")`)
	return b.String()
}
