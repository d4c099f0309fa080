package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// interactive lists the flags with which interpreters show prompts although they have no terminal.
// A version, such as 3.12, may follow an interpreter's name.
var interactive = []struct {
	name        string
	first, last []string // flags before and after the caller's arguments
}{
	{"python", nil, []string{"-u", "-i"}},
	{"bash", []string{"--noediting"}, []string{"-i"}}, // readline would echo what is typed
	{"zsh", nil, []string{"-i"}},
	{"dash", nil, []string{"-i"}},
	{"sh", nil, []string{"-i"}},
	{"fish", nil, []string{"-i"}},
	{"node", nil, []string{"-i"}},
	{"lua", nil, []string{"-i"}},
	{"sqlite3", nil, []string{"-interactive"}},
}

// InteractiveArgs adds to args the flags with which a known interpreter shows prompts without a terminal. It returns
// the new args and a note about them. If args name a program to run, or need no flags, it returns args and "".
func InteractiveArgs(command string, args []string) ([]string, string) {
	base := filepath.Base(command)
	for _, k := range interactive {
		rest, ok := strings.CutPrefix(base, k.name)
		if !ok || strings.Trim(rest, "0123456789.") != "" || runsProgram(args) {
			continue
		}
		given := func(flag string) bool { return slices.Contains(args, flag) }
		first := slices.DeleteFunc(slices.Clone(k.first), given)
		last := slices.DeleteFunc(slices.Clone(k.last), given)
		if len(first)+len(last) == 0 {
			return args, ""
		}
		withFlags := slices.Concat(first, args, last)
		return withFlags, fmt.Sprintf("started as %s, to be interactive without a terminal", strings.Join(append([]string{base}, withFlags...), " "))
	}
	return args, ""
}

// runsProgram reports whether an interpreter's arguments name a file to run, or contain code to
// run.
func runsProgram(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return !strings.HasPrefix(a, "-") || a == "-c" || a == "-m" || a == "-e" || a == "-"
	})
}
