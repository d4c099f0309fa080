package shellmarks

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// bashWith starts bash with marks and a .bashrc.
func bashWith(t *testing.T, rc string, env ...string) *rig {
	t.Helper()
	need.Program(t, "bash")
	return start(t, true, home(t, files{".bashrc": rc}), env, "bash")
}

// want checks the marks in output, without the working directories.
func (r *rig) want(output, marks string) {
	r.t.Helper()
	var got []string
	for _, w := range strings.Split(r.marks(output), " ") {
		if !strings.HasPrefix(w, "~") {
			got = append(got, w)
		}
	}
	if strings.Join(got, " ") != marks {
		r.t.Errorf("marks %q, want %q; output %q", strings.Join(got, " "), marks, output)
	}
}

// csiPattern matches control sequences and titles.
var csiPattern = regexp.MustCompile("\x1b(?:\\[[?0-9;]*[A-Za-z]|\\][^\a]*\a|\\(B)")

// shows checks that output without the marks contains text.
func (r *rig) shows(output, text string) {
	r.t.Helper()
	output = strings.ReplaceAll(csiPattern.ReplaceAllString(plain(output), ""), "\r", "")
	if !strings.Contains(output, text) {
		r.t.Errorf("output %q does not show %q", output, text)
	}
}

// TestBashSettings checks that settings in the user's .bashrc still work.
func TestBashSettings(t *testing.T) {
	t.Parallel()
	t.Run("prompt command array", func(t *testing.T) {
		r := bashWith(t, "PS1='$ '\nPROMPT_COMMAND=('echo first $?' 'echo second $? ${PIPESTATUS[@]}')\n")
		out := r.run("true | (exit 4)")
		r.shows(out, "first 4\nsecond 4 0 4\n")
		r.want(out, "C(true | (exit 4)) D4 A B")
	})
	t.Run("prompt set at each prompt", func(t *testing.T) {
		r := bashWith(t, "n=0; p() { PS1=\"$? $((++n))\\$ \"; }; PROMPT_COMMAND='p;'\n")
		r.want(r.run("false"), "C(false) D1 A B")
		out := r.run("")
		r.want(out, "D1 A B")
		r.shows(out, "1 3$ ")
	})
	t.Run("PS0", func(t *testing.T) {
		r := bashWith(t, "PS1='$ '\nPS0='zero '\n")
		out := r.run("echo out")
		r.shows(out, "zero out\n")
		r.want(out, "C(echo out) D0 A B")
	})
	t.Run("DEBUG trap", func(t *testing.T) {
		r := bashWith(t, "PS1='$ '\ntrap 'log+=\"$BASH_COMMAND;\"' DEBUG\n")
		r.run("true")
		r.shows(r.run("echo $log"), "true;")
	})
	t.Run("history", func(t *testing.T) {
		r := bashWith(t, "PS1='$ '\nHISTCONTROL=ignoreboth\n")
		r.want(r.run(" true"), "C D0 A B")
		r.want(r.run("true"), "C(true) D0 A B")
		r.want(r.run("true"), "C D0 A B")
		r.want(r.run(" true"), "C D0 A B")
		r.want(r.run("false"), "C(false) D1 A B")
		r.shows(r.run("history | grep -c glasstty"), "\n1\n") // only this line itself
	})
	t.Run("nounset and xtrace", func(t *testing.T) {
		r := bashWith(t, "PS1='$ '\nset -u\n")
		out := r.run("echo out")
		r.want(out, "C(echo out) D0 A B")
		if strings.Contains(out, "unbound") {
			t.Errorf("output %q", out)
		}
	})
	t.Run("promptvars off", func(t *testing.T) {
		r := bashWith(t, "PS1='\\w$ '\n")
		r.want(r.run("shopt -u promptvars"), "C(shopt -u promptvars) D0 A")
		out := r.run("echo out")
		r.want(out, "D0 A")
		r.shows(out, "out\n")
		if strings.Contains(out, "glasstty_") {
			t.Errorf("output %q", out)
		}
	})
	t.Run("status", func(t *testing.T) {
		r := bashWith(t, "PS1='$ '\n")
		r.run("false")
		r.shows(r.run("echo status $?"), "\nstatus 1\n")
	})
	t.Run("allexport", func(t *testing.T) {
		r := bashWith(t, "PS1='$ '\nset -a\n")
		r.shows(r.run("env | grep -c "+r.setup.Nonce), "\n0\n")
		r.shows(r.run("env | grep -c '^BASH_FUNC___glass'"), "\n0\n")
	})
}

// TestContinuation checks that the prompts of an unfinished line send no marks but B.
func TestContinuation(t *testing.T) {
	t.Parallel()
	for _, sh := range []string{"bash", "zsh", "fish"} {
		t.Run(sh, func(t *testing.T) {
			need.Program(t, sh)
			r := start(t, true, home(t, files{".zshrc": "", ".bashrc": "PS1='$ '"}), nil, sh)
			out := r.run("echo 'one")
			if m := strings.Trim(r.marks(out), "B "); m != "" {
				t.Errorf("marks %q at the continuation prompt", r.marks(out))
			}
			r.want(r.run("two'"), "C(echo 'one\ntwo') D0 A B")
		})
	}
}

// TestInterrupted checks the marks of the new prompt after an interrupted line.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	r := bashWith(t, "PS1='$ '\n")
	r.want(r.types("echo\x03"), "D130 A B")
}

// TestNested checks that shells that the first shell starts get neither marks nor the nonce, and
// that the first shell goes on afterwards.
func TestNested(t *testing.T) {
	t.Parallel()
	tests := []struct {
		shell string
		start []string
	}{
		{"bash", []string{"bash", "bash --norc", "zsh -f", "dash"}},
		{"zsh", []string{"zsh -f", "bash --norc"}},
		{"fish", []string{"bash --norc", "fish -N"}},
		{"dash", []string{"dash"}},
	}
	for _, tt := range tests {
		t.Run(tt.shell, func(t *testing.T) {
			t.Parallel()
			need.Program(t, tt.shell)
			dir := home(t, files{".zshrc": "export PS1='z$ '\n", ".bashrc": "export PS1='b$ '\n"})
			r := start(t, true, dir, []string{"PS1=env$ "}, tt.shell)
			end := "A B"
			if tt.shell == "zsh" {
				end = "A" // Its PS1 is exported.
			}
			for _, inner := range tt.start {
				need.Program(t, strings.Fields(inner)[0])
				r.types(inner + "\r")
				out := r.run("env | grep -c " + r.setup.Nonce)
				r.want(out, "")
				r.shows(out, "\n0\n")
				if m := r.marks(r.run("exit 5")); !strings.Contains(m, "D5 ") || !strings.HasSuffix(m, end) {
					t.Errorf("after %s: marks %q", inner, m)
				}
			}
		})
	}
}

// TestReplaced checks that a shell that replaces the first one works, without marks.
func TestReplaced(t *testing.T) {
	t.Parallel()
	r := bashWith(t, "PS1='$ '\n")
	r.types("exec bash --norc\r")
	out := r.run("echo out")
	r.want(out, "")
	r.shows(out, "out\n")
}

// TestOwnMarks checks that a shell that sends marks of its own gets no others.
func TestOwnMarks(t *testing.T) {
	t.Parallel()
	mark := `\e]133;A\a`
	tests := []struct {
		name string
		argv string
		home files
	}{
		{"bash prompt", "bash", files{".bashrc": `PS1='\[` + mark + `\]$ '` + "\n"}},
		{"bash function", "bash", files{".bashrc": "own() { printf '" + mark + "'; }; PROMPT_COMMAND=own\n"}},
		{"zsh", "zsh", files{".zshrc": "own() { print -n '" + mark + "' }; precmd_functions+=(own)\n"}},
		{"fish", "fish", files{".config/fish/config.fish": "function own --on-event fish_prompt; printf '" + mark + "'; end\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			need.Program(t, tt.argv)
			r := start(t, true, home(t, tt.home), nil, tt.argv)
			r.want(r.run("true"), "A?")
		})
	}
}

// TestFiles checks that a shell no longer needs its files once it has started.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, sh := range []string{"bash", "zsh", "fish", "dash"} {
		t.Run(sh, func(t *testing.T) {
			need.Program(t, sh)
			r := start(t, true, home(t, files{".zshrc": ""}), nil, sh)
			if files, err := os.ReadDir(r.setup.dir); err != nil || len(files) == 0 {
				t.Errorf("files: %v %v", files, err)
			}
			if err := os.RemoveAll(r.setup.dir); err != nil {
				t.Error(err)
			}
			if m := r.marks(r.run("true")); !strings.Contains(m, "D0 ") || !strings.HasSuffix(m, "A B") {
				t.Errorf("marks %q", m)
			}
		})
	}
}

// TestZdotdir checks that zsh reads the user's files from the user's directory.
func TestZdotdir(t *testing.T) {
	t.Parallel()
	need.Program(t, "zsh")
	dir := home(t, files{
		"z/.zshenv": "e=env$ZDOTDIR\n", "z/.zprofile": "p=profile\n", "z/.zshrc": "r=rc\n", "z/.zlogin": "l=login\n",
	})
	z := filepath.Join(dir, "z")
	r := start(t, true, dir, []string{"ZDOTDIR=" + z}, "zsh", "-l")
	out := r.run("echo $e/$p/$r/$l/$ZDOTDIR")
	r.shows(out, "env"+z+"/profile/rc/login/"+z+"\n")
	r = start(t, true, home(t, files{".zshenv": "e=env\n", ".zshrc": "r=rc\n"}), nil, "zsh")
	r.shows(r.run("echo $e/$r/${ZDOTDIR-unset}/$(env | grep -c ZDOTDIR)"), "env/rc/unset/0\n")
}

// TestPython checks the marks around Python's prompt, that the user's startup file is read as
// Python would read it, and that nothing else differs from a Python without marks.
func TestPython(t *testing.T) {
	t.Parallel()
	need.Program(t, "python3")
	dir := home(t, files{"start.py": "import math as user\nwhere = __file__\nraise ValueError('late')\n"})
	startup := filepath.Join(dir, "start.py")
	for _, env := range [][]string{nil, {"PYTHONSTARTUP=" + startup}} {
		without := start(t, false, dir, env, "python3", "-q")
		with := start(t, true, dir, env, "python3", "-q")
		for _, line := range []string{"", "1+1", "import os; os.environ.get('PYTHONSTARTUP')", "sys", "def f():", "  pass", "", "sorted(n for n in dir() if 'glass' in n)", "'__file__' in dir()", "where", "1/0"} {
			got, want := with.run(line), without.run(line)
			if plain(got) != plain(want) {
				t.Errorf("%q shows %q, want %q", line, plain(got), plain(want))
			}
			if marks := with.marks(got); marks != "A B" && !strings.Contains(plain(got), "... ") {
				t.Errorf("%q: marks %q", line, marks)
			}
		}
		if got, want := plain(with.output()), without.output(); got != want {
			t.Errorf("output %q, want %q", got, want)
		}
	}
}

// TestUnfinished checks that D comes where the output ends, before the sign with which a shell
// shows that the last line had no newline.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	for sh, sign := range map[string]string{"zsh": "\x1b[1m\x1b[7m", "fish": "⏎"} {
		t.Run(sh, func(t *testing.T) {
			need.Program(t, sh)
			r := start(t, true, home(t, files{".zshrc": ""}), nil, sh)
			for range 2 {
				out := r.run("printf xyz") // xyz cannot be a part of a nonce, which is hexadecimal
				r.want(out, "C(printf xyz) D0 A B")
				done, shown := strings.Index(out, "\x1b]133;D"), strings.LastIndex(out, sign)
				if text := strings.LastIndex(out, "xyz"); done < text || shown < done {
					t.Errorf("D at %d, text at %d, sign at %d in %q", done, text, shown, out)
				}
			}
		})
	}
	t.Run("zsh without", func(t *testing.T) {
		need.Program(t, "zsh")
		r := start(t, true, home(t, files{".zshrc": "PROMPT_EOL_MARK='<<'\n"}), nil, "zsh")
		r.shows(r.run("printf abc"), "abc<<")
		r.want(r.run("unsetopt promptsp; false"), "C(unsetopt promptsp; false) D1 A B")
		r.want(r.run("false"), "C(false) D1 A B")
		r.want(r.run("setopt promptsp; false"), "C(setopt promptsp; false) D1 A B")
		r.want(r.run("PROMPT_EOL_MARK=; false"), "C(PROMPT_EOL_MARK=; false) D1 A B")
		r.want(r.run("false"), "C(false) D1 A B")
	})
}
