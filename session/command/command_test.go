package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	for _, err := range []error{
		os.Mkdir(bin, 0o755),
		os.WriteFile(filepath.Join(bin, "ok"), []byte("#!/bin/sh\n"), 0o755),
		os.WriteFile(filepath.Join(bin, "plain"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "with space"), []byte("#!/bin/sh\n"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		command string
		args    []string
		want    string // file, when it resolves
		says    string // part of the error otherwise
	}{
		{command: "ok", want: filepath.Join(bin, "ok")},
		{command: "bin/ok", want: filepath.Join(bin, "ok")},
		{command: "./with space", want: filepath.Join(dir, "with space")},
		{command: "plain", says: "not executable"},
		{command: "absent", says: "not found in PATH"},
		{command: "./absent", says: "not there"},
		{command: "./bin", says: "a directory"},
		{command: "bin/ok/under", says: "not there"},
		{command: "", says: "empty command"},
		{command: "a\x00b", says: "NUL"},
		{command: "ls -l /tmp", says: `use command "ls" with args ["-l", "/tmp"], or command "bash" with args ["-c", "ls -l /tmp"]`},
		{command: "ls -l", args: []string{"/tmp"}, says: `use command "ls" with args ["-l", "/tmp"]`},
		{command: "ls | wc -l", says: `it is a shell command line, and command is executed directly; use command "bash" with args ["-c", "ls | wc -l"]`},
		{command: `grep "a b" 'c d' e\ f`, says: `use command "grep" with args ["a b", "c d", "e f"]`},
		{command: "  a   b ", says: `use command "a" with args ["b"]`},
		{command: `echo ""`, says: `use command "echo" with args [""]`},
		{command: "echo $HOME", says: "it is a shell command line"},
		{command: "A=1 ls", says: "it is a shell command line"},
		{command: "/bin/ls -l", says: `use command "/bin/ls" with args ["-l"]`},
	}
	for _, tt := range tests {
		got, err := Resolve(tt.command, dir, bin, tt.args)
		if tt.says == "" {
			if err != nil || got != tt.want {
				t.Errorf("resolve(%q) = %q, %v; want %q", tt.command, got, err, tt.want)
			}
			continue
		}
		if !errors.Is(err, ErrRun) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("resolve(%q): error %v; want ErrRun saying %q", tt.command, err, tt.says)
		}
	}
}

func TestCheckDir(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, says := range map[string]string{file: "not a directory", file + "-none": "does not exist"} {
		if _, err := ResolveDir(dir); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Dir(%q): error %v; want one saying %q", dir, err, says)
		}
	}
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ResolveDir(closed); os.Geteuid() != 0 && (err == nil || !strings.Contains(err.Error(), "cannot be entered")) {
		t.Errorf("Dir of a closed directory: %v", err)
	}
	if got, err := ResolveDir(""); err != nil || !filepath.IsAbs(got) {
		t.Errorf(`Dir("") = %q, %v; want the working directory`, got, err)
	}
}
