// Package allowlist decides which programs may be started, with which arguments, and in which
// directories. It resolves symbolic links, so that rules apply to a program under any name.
package allowlist

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/internal/glob"
)

// A List is a set of rules. The zero value allows everything. It is safe for
// concurrent use.
type List struct {
	allow, block []rule
	dirs         []string // the allowed directories, absolute and without symbolic links; none allows all
}

// A rule names a program, and may contain a pattern for its arguments.
type rule struct {
	text    string // as given to New, for errors
	program string // a name, a path, or a pattern for one of these
	args    string // a pattern for all arguments, joined by blanks; "" matches any
}

// New returns a List of rules. A rule is a program's name or path, or a pattern for a path
// (see filepath.Match); a blocking rule may also be a pattern for a name. After a blank, a rule may
// contain a pattern for the arguments joined by blanks, in which * matches anything: "git push*".
// dirs are the allowed directories, and must exist. The error wraps ErrRule.
func New(allow, block, dirs []string) (*List, error) {
	l := new(List)
	for _, set := range []struct {
		from []string
		to   *[]rule
	}{{allow, &l.allow}, {block, &l.block}} {
		for _, text := range set.from {
			r, err := parse(text)
			if err != nil {
				return nil, err
			}
			*set.to = append(*set.to, r)
		}
	}
	for _, dir := range dirs {
		abs, err := resolved(dir)
		if err == nil {
			var info os.FileInfo
			if info, err = os.Stat(abs); err == nil && !info.IsDir() {
				err = fmt.Errorf("%s is not a directory", abs)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: directory %q: %w", ErrRule, dir, err)
		}
		l.dirs = append(l.dirs, abs)
	}
	return l, nil
}

// parse parses one rule.
func parse(text string) (rule, error) {
	program, args, _ := strings.Cut(strings.TrimSpace(text), " ")
	if program == "" {
		return rule{}, fmt.Errorf("%w: an empty rule; write a program's name or path", ErrRule)
	}
	if strings.ContainsAny(program, ",;|&") || strings.ContainsFunc(text, unicode.IsControl) {
		return rule{}, fmt.Errorf("%w %q: a rule names one program; separate rules with commas, or give each by itself", ErrRule, text)
	}
	if _, err := filepath.Match(program, ""); err != nil {
		return rule{}, fmt.Errorf("%w %q: %w", ErrRule, text, err)
	}
	return rule{text: strings.TrimSpace(text), program: program, args: strings.TrimSpace(args)}, nil
}

// NotInstalled returns the text of the rules whose program is not installed: the name may be
// mistyped. It leaves out patterns, because programs that match may be installed later.
func (l *List) NotInstalled() (rules []string) {
	for _, r := range slices.Concat(l.allow, l.block) {
		if strings.ContainsAny(r.program, `*?[\\`) {
			continue
		}
		if _, err := exec.LookPath(r.program); errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			rules = append(rules, r.text)
		}
	}
	return rules
}

// AllowsAll reports whether the List allows everything.
func (l *List) AllowsAll() bool {
	return l == nil || len(l.allow)+len(l.block)+len(l.dirs) == 0
}

// HasBlockRules reports whether there are blocking rules.
func (l *List) HasBlockRules() bool { return l != nil && len(l.block) > 0 }

// CheckProgram returns nil if the program in file may be started with args. Otherwise the error
// wraps ErrDenied and names the blocking rule, or the allowed programs.
func (l *List) CheckProgram(file string, args []string) error {
	if l.AllowsAll() {
		return nil
	}
	if err := l.CheckBlocked(file, args); err != nil {
		return err
	}
	if len(l.allow) == 0 {
		return nil
	}
	for _, r := range l.allow {
		if r.allows(file) && r.matchesArgs(args) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s is not among the programs that are allowed (%s)", ErrDenied, file, l.allowed())
}

// CheckBlocked is CheckProgram with the blocking rules only. file may also be a name that a shell
// would look up in PATH.
func (l *List) CheckBlocked(file string, args []string) error {
	if l == nil {
		return nil
	}
	for _, r := range l.block {
		if r.blocks(file) && r.matchesArgs(args) {
			return fmt.Errorf("%w: %s is blocked by the rule %q", ErrDenied, file, r.text)
		}
	}
	return nil
}

// maxNamed is the maximum number of rules that an error lists.
const maxNamed = 20

// allowed lists the allowing rules for an error.
func (l *List) allowed() string {
	var names []string
	for _, r := range l.allow[:min(len(l.allow), maxNamed)] {
		names = append(names, r.text)
	}
	if len(l.allow) > maxNamed {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// CheckDir returns nil if a program may be started in dir. Otherwise the error wraps ErrDenied.
func (l *List) CheckDir(dir string) error {
	if l == nil || len(l.dirs) == 0 {
		return nil
	}
	abs, err := resolved(dir)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDenied, dir, err)
	}
	for _, d := range l.dirs {
		if abs == d || d == "/" || strings.HasPrefix(abs, d+"/") {
			return nil
		}
	}
	return fmt.Errorf("%w: %s is outside the directories that are allowed (%s)", ErrDenied, abs, strings.Join(l.dirs, ", "))
}

// matchesArgs reports whether the rule applies to these arguments.
func (r rule) matchesArgs(args []string) bool {
	return r.args == "" || glob.Match(r.args, strings.Join(args, " "))
}

// allows reports whether an allowing rule names this file. A name without a slash allows only the
// file that is found in the server's PATH.
func (r rule) allows(file string) bool {
	actual := actualPath(file)
	if strings.Contains(r.program, "/") {
		return match(r.program, actual) || actualPath(r.program) == actual
	}
	found, err := exec.LookPath(r.program)
	return err == nil && actualPath(found) == actual
}

// blocks reports whether a blocking rule names this file, under any of its names.
func (r rule) blocks(file string) bool {
	actual := actualPath(file)
	if strings.Contains(r.program, "/") {
		return match(r.program, file) || match(r.program, actual) || actualPath(r.program) == actual
	}
	if match(r.program, filepath.Base(file)) || match(r.program, filepath.Base(actual)) {
		return true
	}
	found, err := exec.LookPath(r.program)
	if err != nil {
		return false
	}
	// Many programs are links to the one file of busybox. A rule for one of them must not block the others.
	return actualPath(found) == actual && filepath.Base(actualPath(found)) != "busybox"
}

// match reports whether name matches pattern.
func match(pattern, name string) bool {
	ok, err := filepath.Match(pattern, name)
	return ok && err == nil
}

// resolved returns path as an absolute path without symbolic links.
func resolved(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// actualPath returns the absolute path of a file without symbolic links. It looks up a name without
// a slash in PATH. If the file does not exist, actualPath returns path.
func actualPath(path string) string {
	if !strings.Contains(path, "/") {
		if found, err := exec.LookPath(path); err == nil {
			path = found
		}
	}
	if actual, err := resolved(path); err == nil {
		return actual
	}
	return path
}
