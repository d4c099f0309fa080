package allowlist

import (
	"errors"
	"testing"
)

// TestEnvironment checks that with a list of allowed programs a variable that could make
// an allowed program run another one is denied.
func TestEnvironment(t *testing.T) {
	only, err := New([]string{"ls"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := New(nil, []string{"rm"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PYTHONSTARTUP", "PYTHONPATH", "NODE_OPTIONS", "NODE_PATH", "PERL5OPT", "PERL5LIB", "RUBYOPT", "BASH_ENV", "BASH_FUNC_ls%%", "ENV", "ZDOTDIR", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_CONFIG_COUNT", "PAGER", "MANPAGER", "EDITOR", "KUBE_EDITOR", "LESSOPEN", "SSH_ASKPASS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "MAVEN_OPTS", "PATH", "HOME", "FZF_DEFAULT_COMMAND", "PROMPT_COMMAND", "PS1"} {
		if err := only.CheckEnvironment(map[string]string{"A": "b", name: "x"}); !errors.Is(err, ErrDenied) {
			t.Errorf("%s: %v", name, err)
		}
		if err := errors.Join(blocks.CheckEnvironment(map[string]string{name: "x"}), (*List)(nil).CheckEnvironment(map[string]string{name: "x"})); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"LANG", "LC_ALL", "TZ", "TERM", "NO_COLOR", "DEBUG", "CI", "DATABASE_URL", "API_KEY", "AWS_PROFILE", "COLUMNS", "FOO"} {
		if err := only.CheckEnvironment(map[string]string{name: "x"}); err != nil {
			t.Error(err)
		}
	}
}
