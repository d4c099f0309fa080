package allowlist

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
)

// loads finds variables that have a program load or run what is not it: those of the
// loader, of interpreters and their options, paths that programs, libraries and
// settings are looked for in, and commands that programs run.
var loads = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:LD_|DYLD_|GLIBC_TUNABLES$|GCONV_|BASH_|ENV$|ZDOTDIR$|IFS$|PS[0-4]$|PROMPT|GIT_|PYTHON|PERL|RUBY|GEM_|BUNDLE_|NODE_|npm_|NPM_|DENO_|JAVA|_JAVA|JDK_|CLASSPATH$|LUA_|PHP_?INI|PHPRC$|R_PROFILE|OPENSSL_|HOME$|XDG_CONFIG|XDG_DATA|INPUTRC$|VIM|EXINIT$|EMACS|LESS|MAKE|GOFLAGS$|CARGO_|RUST|CC$|CXX$|SHELL$|TAR_OPTIONS$|TERMINFO|BROWSER$|VISUAL$)|(?:^|_)(?:PATH|OPTS|OPTIONS|COMMAND|CMD|RSH|HOOK|ASKPASS)$|(?:PAGER|EDITOR)$`)
})

// Environment reports whether a program may be started with these variables beside the
// server's own, as nil or an error that wraps ErrDenied: where only some programs are
// allowed, none of them is to be made another by its environment.
func (l *List) Environment(env map[string]string) error {
	if l == nil || len(l.allow) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if loads().MatchString(name) {
			return fmt.Errorf("%w: the variable %s can have an allowed program run others, so with a list of allowed programs no call sets it; set it where the server is started", ErrDenied, name)
		}
	}
	return nil
}
