package shellmarks

import (
	"crypto/rand"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/internal/tempdir"
)

// MaxCommand is how many characters of a command's text a mark carries.
const MaxCommand = 2048

//go:embed scripts
var scripts embed.FS

// A Setup says how to start a program so that it sends marks.
type Setup struct {
	// Shell is the recognized program: "bash", "zsh", "fish", "sh" or "python". It is empty
	// if the program is started unchanged.
	Shell string
	Args  []string // of the program; unchanged when Shell is empty
	Env   []string // of the program; unchanged when Shell is empty
	// Nonce is the secret in all marks of the session.
	Nonce string

	dir string
}

// Prepare returns how to start command with args and env, a list of "NAME=value",
// so that it sends marks. If histfile is not "", the program saves its history there after
// it has read the user's. Prepare does not change programs that it does not know, or that
// are not started to read commands from their terminal. It writes files into a new
// directory that only this user can enter: Close the Setup when the program has ended, or
// has sent its first mark. If writing fails, the returned Setup starts the program
// unchanged.
func Prepare(command string, args, env []string, histfile string) (*Setup, error) {
	s := &Setup{Args: args, Env: env}
	p := preparerFor(command)
	if p == nil || !p.interactive(args) {
		return s, nil
	}
	nonce := newNonce()
	dir, err := tempdir.Make(tempdir.Marks)
	if err != nil {
		return s, fmt.Errorf("shell marks: %w", err)
	}
	d := draft{dir: dir, nonce: nonce, histfile: histfile, args: args, env: environ(env)}
	if err := p.prepare(&d); err != nil {
		os.RemoveAll(dir)
		return s, fmt.Errorf("shell marks: %w", err)
	}
	return &Setup{Shell: p.name, Args: d.args, Env: d.env, Nonce: nonce, dir: dir}, nil
}

// Close removes the files. It may be called more than once.
func (s *Setup) Close() error {
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// Temp returns the directories that Close removes, for callers that remove them themselves.
func (s *Setup) Temp() []string {
	if s.dir == "" {
		return nil
	}
	return []string{s.dir}
}

// newNonce returns 64 random bits in hexadecimal digits.
func newNonce() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}

// A preparer prepares one kind of shell.
type preparer struct {
	name        string
	interactive func(args []string) bool
	prepare     func(*draft) error
}

// pythonName matches the names under which Python is installed.
var pythonName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^python(3(\.[0-9]+)?)?$`) })

// preparerFor returns the preparer for a command, nil if there is none.
func preparerFor(command string) *preparer {
	switch name := filepath.Base(command); {
	case name == "bash":
		return &preparer{"bash", bashInteractive, prepareBash}
	case name == "zsh":
		return &preparer{"zsh", zshInteractive, prepareZsh}
	case name == "fish":
		return &preparer{"fish", fishInteractive, prepareFish}
	case name == "dash", name == "sh" && isDash(command):
		return &preparer{"sh", shInteractive, prepareSh}
	case pythonName().MatchString(name):
		return &preparer{"python", pythonInteractive, preparePython}
	}
	return nil
}

// A draft is a Setup in the making.
type draft struct {
	dir   string
	nonce string
	// histfile is where the shell saves its history, "" for its default.
	histfile string
	args     []string
	env      environ
}

// write puts a script into the directory, with every @NAME@ of values replaced,
// and returns its path.
func (d *draft) write(script, name string, values ...string) (string, error) {
	text, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		return "", err
	}
	values = append(values, "@HISTORY@", quote(d.histfile), "@NONCE@", d.nonce, "@MAX@", strconv.Itoa(MaxCommand))
	path := filepath.Join(d.dir, name)
	return path, os.WriteFile(path, []byte(strings.NewReplacer(values...).Replace(string(text))), 0o600)
}

// An environ is a list of "NAME=value". Of several with one name, the last
// counts, as in os/exec.
type environ []string

// get returns a variable's value.
func (e environ) get(name string) (string, bool) {
	for i := len(e) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(e[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// with returns a copy of e in which a variable has a value.
func (e environ) with(name, value string) environ {
	out := make(environ, 0, len(e)+1)
	for _, kv := range e {
		if !strings.HasPrefix(kv, name+"=") {
			out = append(out, kv)
		}
	}
	return append(out, name+"="+value)
}

// quote returns s as one word of a POSIX shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
