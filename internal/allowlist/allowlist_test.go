package allowlist

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// programs makes a directory with these files, and sets PATH to its bin:
//
//	real/tool-2  a program
//	bin/tool     a link to real/tool-2
//	bin/other    another program
//	alias        a link to bin/tool
//	away/tool    another program with the name of bin/tool
//	away/in      a link to real
func programs(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"bin", "real", "away"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"real/tool-2", "bin/other", "away/tool"} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"bin/tool": "../real/tool-2", "alias": "bin/tool", "away/in": "../real"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	return dir
}

func TestProgram(t *testing.T) {
	dir := programs(t)
	tests := []struct {
		allow, block []string
		file         string
		args         []string
		denied       bool
	}{
		{nil, nil, "bin/other", nil, false},
		{[]string{"tool"}, nil, "bin/tool", nil, false},
		{[]string{"tool"}, nil, "real/tool-2", nil, false},
		{[]string{"tool"}, nil, "alias", nil, false},
		{[]string{"tool"}, nil, "away/tool", nil, true},
		{[]string{"tool"}, nil, "bin/other", nil, true},
		{[]string{"none"}, nil, "bin/other", nil, true},
		{[]string{dir + "/bin/tool"}, nil, "alias", nil, false},
		{[]string{dir + "/away/*"}, nil, "away/tool", nil, false},
		{[]string{dir + "/bin/*"}, nil, "away/tool", nil, true},
		{[]string{"tool push*"}, nil, "bin/tool", []string{"push", "-f"}, false},
		{[]string{"tool push*"}, nil, "bin/tool", []string{"pull"}, true},
		{nil, []string{"tool"}, "bin/tool", nil, true},
		{nil, []string{"tool"}, "away/tool", nil, true},
		{nil, []string{"tool"}, "alias", nil, true},
		{nil, []string{"tool-2"}, "alias", nil, true},
		{nil, []string{"tool"}, "bin/other", nil, false},
		{nil, []string{"*"}, "bin/other", nil, true},
		{nil, []string{dir + "/real/*"}, "alias", nil, true},
		{nil, []string{"tool *--force*"}, "bin/tool", []string{"a", "--force"}, true},
		{nil, []string{"tool *--force*"}, "bin/tool", []string{"a"}, false},
		{[]string{"tool"}, []string{"tool rm*"}, "bin/tool", []string{"rm", "x"}, true},
	}
	for _, tt := range tests {
		l, err := New(tt.allow, tt.block, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = l.CheckProgram(filepath.Join(dir, tt.file), tt.args)
		if (err != nil) != tt.denied || err != nil && !errors.Is(err, ErrDenied) {
			t.Errorf("allow %q, block %q: %s %q: %v", tt.allow, tt.block, tt.file, tt.args, err)
		}
	}
}

func TestDir(t *testing.T) {
	dir := programs(t)
	l, err := New(nil, nil, []string{filepath.Join(dir, "real")})
	if err != nil {
		t.Fatal(err)
	}
	for d, ok := range map[string]bool{"real": true, "real/.": true, "away/in": true, "real/..": false, "away": false, "real-2": false, ".": false} {
		if err := l.CheckDir(filepath.Join(dir) + "/" + d); (err == nil) != ok {
			t.Errorf("%s: %v", d, err)
		}
	}
	if all := new(List); !all.AllowsAll() || all.CheckDir("/") != nil || all.CheckProgram("/bin/x", nil) != nil {
		t.Error("the zero List denies a directory or a program")
	}
}

func TestWrongRules(t *testing.T) {
	for _, bad := range [][3][]string{{{""}}, {{"[a"}}, {{"rm,curl"}}, {nil, {"rm;curl"}}, {nil, {"rm\ncurl"}}, {nil, {"a|b"}}, {nil, {" "}}, {nil, nil, {filepath.Join(t.TempDir(), "none")}}} {
		if _, err := New(bad[0], bad[1], bad[2]); !errors.Is(err, ErrRule) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNotInstalled(t *testing.T) {
	dir := programs(t)
	l, err := New([]string{"tool push*", "alias"}, []string{"none", "no*", dir + "/bin/other", dir + "/bin/gone x"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(l.NotInstalled()); got != "[alias none "+dir+"/bin/gone x]" {
		t.Error(got)
	}
}

func TestMatchesArgs(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "x", true}, {"a", "a", true}, {"a", "ab", false}, {"a*", "ab", true}, {"*b", "ab", true}, {"*b", "abc", false},
		{"a*c", "abc", true}, {"a*b*c", "axbxc", true}, {"a*b*c", "axc", false}, {"*", "", true}, {"ab*ba", "aba", false},
	} {
		if got := (rule{args: tt.pattern}).matchesArgs([]string{tt.text}); got != tt.want {
			t.Errorf("%q matches %q: %v", tt.pattern, tt.text, got)
		}
	}
}
