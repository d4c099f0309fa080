package command

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// CheckStart returns an error if a command cannot be started with these arguments and variables.
func CheckStart(args []string, env map[string]string) error {
	for k, v := range env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return fmt.Errorf("environment variable %q: a name cannot be empty or contain \"=\", and neither part a NUL byte", k)
		}
	}
	for i, a := range args {
		if strings.ContainsRune(a, 0) {
			return fmt.Errorf("args[%d] %q: an argument cannot contain a NUL byte", i, a)
		}
	}
	return nil
}

// Environment returns the child's environment: the inherited variables, those that describe the
// terminal and the working directory, and those in add, which override the others.
func Environment(version string, inherited []string, dir string, add map[string]string) []string {
	// If LINES and COLUMNS are set, some programs do not ask for the terminal's size, and miss a resize.
	drop := []string{"LINES", "COLUMNS", "TERMCAP", "WINDOWID", "TMUX", "TMUX_PANE", "STY", "OLDPWD"}
	set := map[string]string{
		"PWD":                  dir,
		"TERM":                 "xterm-256color",
		"COLORTERM":            "truecolor",
		"TERM_PROGRAM":         "glasstty",
		"TERM_PROGRAM_VERSION": version,
	}
	for k, v := range add {
		set[k] = v
	}
	var env []string
	for _, e := range inherited {
		k, _, _ := strings.Cut(e, "=")
		if _, ours := set[k]; !ours && !slices.Contains(drop, k) {
			env = append(env, e)
		}
	}
	for k, v := range set {
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	return env
}

// Home returns the home directory of a program that is started with the variables add, or "" if the
// directory is not known.
func Home(add map[string]string) string {
	if home, ok := add["HOME"]; ok {
		return home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}
