package allowlist

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
)

// runsOtherCode matches the names of variables that can make a program load or run other code:
// variables of the loader and of interpreters, search paths for programs, libraries and settings, and
// commands that programs run.
var runsOtherCode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:LD_|DYLD_|GLIBC_TUNABLES$|GCONV_|BASH_|ENV$|ZDOTDIR$|IFS$|PS[0-4]$|PROMPT|GIT_|PYTHON|PERL|RUBY|GEM_|BUNDLE_|NODE_|npm_|NPM_|DENO_|JAVA|_JAVA|JDK_|CLASSPATH$|LUA_|PHP_?INI|PHPRC$|R_PROFILE|OPENSSL_|HOME$|XDG_CONFIG|XDG_DATA|INPUTRC$|VIM|EXINIT$|EMACS|LESS|MAKE|GOFLAGS$|CARGO_|RUST|CC$|CXX$|SHELL$|TAR_OPTIONS$|TERMINFO|BROWSER$|VISUAL$)|(?:^|_)(?:PATH|OPTS|OPTIONS|COMMAND|CMD|RSH|HOOK|ASKPASS)$|(?:PAGER|EDITOR)$`)
})

// CheckEnvironment returns nil if a program may be started with these variables in addition to the
// server's own. Otherwise the error wraps ErrDenied. It checks them only if there are allowing rules:
// a variable must not make an allowed program run others.
func (l *List) CheckEnvironment(env map[string]string) error {
	if l == nil || len(l.allow) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if runsOtherCode().MatchString(name) {
			return fmt.Errorf("%w: the variable %s can make an allowed program run others, so a call may not set it while only some programs are allowed; set it where the server is started", ErrDenied, name)
		}
	}
	return nil
}
