package guard

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/input"
)

// TestCheckAfter checks the lines that follow a password in one input: which programs may read them, and
// that ordinary lines and repeated passwords pass.
func TestCheckAfter(t *testing.T) {
	var c danger.Checker
	shell := Foreground{Name: "bash", Main: "bash", Dir: "/work", Home: "/home/u"}
	for _, tt := range []struct {
		program, text string
		want          string // a part of the error; empty if there is none
	}{
		// The shell reads the line if the program has ended.
		{"mysql", "pw\nrm -rf /etc", "(delete)"},
		{"psql", "pw\nrm -rf /etc", "(delete)"},
		{"redis-cli", "pw\nrm -rf /etc\n", "(delete)"},
		{"less", "pw\nrm -rf /etc", "(delete)"},
		{"gdb", "pw\nrm -rf /etc", "(delete)"},
		{"sqlite3", "pw\nrm -rf /etc", "(delete)"},
		{"mongosh", "pw\nrm -rf /etc", "(delete)"},
		{"cat", "pw\n\x03rm -rf /etc", "(delete)"},
		{"perl", "pw\nrm -rf /etc", "(delete)"},
		{"sudo", "pw\nrm -rf /etc", "(delete)"},
		{"mysql", "pw\ncd /etc\nrm -rf *", "(delete)"},
		{"mysql", "pw\nSELECT 1;\nrm -rf /etc", "(delete)"},
		{"mysql", "pw\nit's wrong\nrm -rf /etc", "(delete)"},
		{"mysql", "pw\n'\x03rm -rf /etc", "(delete)"},
		{"mysql", "pw\ncat <<E\nrm -rf /etc", "dangerous line"},

		// Variables that were set earlier in the session, and refusals.
		{"sudo", "pw\n$c /etc", "(delete)"},
		{"mysql", "pw\n$c /etc", "(delete)"},
		{"sudo", "pw\n'\n$c /etc", "dangerous line"},
		{"bash", "pw\n$c /etc", "(delete)"},
		{"sudo", "pw\necho refused\n", "Ann refused it"},
		{"mysql", "pw\necho refused", "Ann refused it"},

		// The program that is started after the password.
		{"sudo", "pw\nDROP TABLE users;", "(sql)"},
		{"sudo", "pw\nimport shutil; shutil.rmtree('/')", "(delete)"},
		{"ssh", "pw\nimport shutil; shutil.rmtree('/')", "(delete)"},
		{"su", "pw\nFLUSHALL", "(sql)"},
		{"mysql", "pw\nDROP TABLE users;", "(sql)"},

		// A key that may bring back a line, with and without Enter.
		{"sudo", "pw\n\x10\n", "may bring back any line"},
		{"mysql", "pw\n\x10\n", "may bring back any line"},
		{"sudo", "pw\n\x10", ""},
		{"mysql", "pw\n\x10", ""},

		{"sudo", "pw", ""},
		{"sudo", "rm -rf /etc\n", ""},
		{"mysql", "rm -rf /etc; $c /\n", ""},
		{"mysql", "pw\n", ""},
		{"sudo", "pw\n\n", ""},
		{"sudo", "pw\nls", ""},
		{"sudo", "pw\nls -la /etc\ngit status\ncd /tmp && make test\n", ""},
		{"ssh", "pw\nls\nexit\n", ""},
		{"mysql", "pw\nls\n", ""},
		{"mysql", "pw\nSELECT * FROM users WHERE name = 'a';\nSHOW TABLES;\n", ""},
		{"cat", "pw\nls\n", ""},
		{"cat", "pw\nrm -rf /etc", ""},
		{"passwd", "old\nN3w;p'w\"$(x!)\nN3w;p'w\"$(x!)\n", ""},
		{"passwd", "correct horse #1\ncorrect horse #1", ""},
	} {
		f := shell
		f.Name = tt.program
		look := View{Program: f.Program(), Past: Past{Vars: []string{`c="rm -rf"`}, Ahead: "\n" + tt.program}}
		look.Refused = []Refusal{{By: "Ann", Fingerprints: fingerprintsOf(&c, &submission{text: "echo refused"}, nil)}}
		if tt.program != "bash" {
			look.SessionShell = f.SessionShell()
		}
		err := CheckAfter(&c, &look, KeystrokesOf(input.Input{Text: tt.text}, input.Modes{}))
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q: %v, want %q", tt.program, tt.text, err, tt.want)
		}
	}
}
