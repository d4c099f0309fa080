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

	"github.com/glasstty/glasstty/internal/shellquote"
)

// MaxCommand is the maximum number of characters of a command's text that a shell sends in a mark.
const MaxCommand = 2048

//go:embed scripts
var scripts embed.FS

// A Setup describes how to start a program so that it sends marks.
type Setup struct {
	// Shell is the recognized program: "bash", "zsh", "fish", "sh" or "python". It is empty
	// if the program is started unchanged.
	Shell string
	Args  []string // the program's arguments; unchanged if Shell is empty
	Env   []string // the program's environment; unchanged if Shell is empty
	// Nonce is the secret in all marks of the session. It is empty if Shell is.
	Nonce string

	given    map[string]int // the options in the program's arguments, as syntax.parse returns them
	dir      string         // the directory for the files that Prepare writes
	histfile string         // the file in which the shell saves its history; if it is "", the shell chooses
}

// Prepare returns how to start command with args and env, a list of "NAME=value", so that the program sends
// marks. It does not change programs that it does not know, or that are not started to read commands from
// their terminal. If histfile is not "", bash and zsh save their history in that file, but read the user's
// first; other programs ignore histfile. Prepare writes files into dir, a directory that only this user can
// enter. After the program's first mark, the files are not needed. If they cannot be written, Prepare
// returns an error and a Setup that starts the program unchanged.
func Prepare(command string, args, env []string, dir, histfile string) (*Setup, error) {
	plain := &Setup{Args: args, Env: env}
	p := preparerFor(command)
	if p == nil {
		return plain, nil
	}
	given, ok := p.syntax.parse(args)
	if !ok {
		return plain, nil
	}
	s := &Setup{Shell: p.name, Args: args, Env: env, Nonce: newNonce(), given: given, dir: dir, histfile: histfile}
	if err := p.prepare(s); err != nil {
		return plain, fmt.Errorf("shell marks: %w", err)
	}
	return s, nil
}

// newNonce returns 64 random bits in hexadecimal digits.
func newNonce() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}

// A preparer prepares one kind of shell or REPL.
type preparer struct {
	name    string
	syntax  *syntax
	prepare func(*Setup) error
}

// pythonName matches the names under which Python is installed.
var pythonName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^python(3(\.[0-9]+)?)?$`) })

// preparerFor returns the preparer for a command, or nil if there is none.
func preparerFor(command string) *preparer {
	switch name := filepath.Base(command); {
	case name == "bash":
		return &preparer{"bash", &bashSyntax, prepareBash}
	case name == "zsh":
		return &preparer{"zsh", &zshSyntax, prepareZsh}
	case name == "fish":
		return &preparer{"fish", &fishSyntax, prepareFish}
	case name == "dash", name == "sh" && isDash(command):
		return &preparer{"sh", &shSyntax, prepareSh}
	case pythonName().MatchString(name):
		return &preparer{"python", &pythonSyntax, preparePython}
	}
	return nil
}

// write writes a script into the Setup's directory under the given name, and returns its path.
// values lists further placeholders of the script, such as @RC@, each followed by its value.
func (s *Setup) write(script, name string, values ...string) (string, error) {
	text, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		return "", err
	}
	values = append(values, "@HISTORY@", shellquote.Word(s.histfile), "@NONCE@", s.Nonce, "@MAX@", strconv.Itoa(MaxCommand))
	path := filepath.Join(s.dir, name)
	return path, os.WriteFile(path, []byte(strings.NewReplacer(values...).Replace(string(text))), 0o600)
}
