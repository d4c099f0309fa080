package danger

import "testing"

// TestEnvironment checks which environment variables of a started program are dangerous.
func TestEnvironment(t *testing.T) {
	var c Checker
	for name, value := range map[string]string{
		"PROMPT_COMMAND": "rm -rf /", "PS1": "$(rm -rf /)", "PS0": "`rm -rf /`", "PS4": "$(rm -rf /)", "BASH_ENV": "$(rm -rf /)", "ENV": "$(rm -rf /)",
		"BASH_FUNC_ls%%": "() { rm -rf /; }", "PERL5OPT": "-Mbase;system('rm -rf /')", "GIT_SSH_COMMAND": "rm -rf /", "PAGER": "rm -rf /", "EDITOR": "sh -c 'rm -rf /'",
		"LESSOPEN": "|rm -rf / %s", "GIT_CONFIG_VALUE_0": "!rm -rf /", "GIT_CONFIG_PARAMETERS": "'alias.x=!rm -rf /'", "LD_PRELOAD": "/tmp/x.so", "LD_AUDIT": "/tmp/x.so", "HISTFILESIZE": "0",
	} {
		if got := c.CheckEnvironment(map[string]string{name: value, "A": "b"}, here()); len(got) == 0 {
			t.Errorf("%s=%s: no finding", name, value)
		}
	}
	harmless := map[string]string{
		"PAGER": "less -R", "EDITOR": "vim", "GIT_EDITOR": "true", "PS1": `\u@\h:\w$(git branch --show-current)\$ `, "PROMPT_COMMAND": "history -a", "LESSOPEN": "|lesspipe %s",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Jane Doe", "GIT_CONFIG_PARAMETERS": "'user.name=Jane Doe'", "PERL5OPT": "-Mstrict",
		"HISTFILE":     "",
		"NODE_OPTIONS": "--max-old-space-size=4096", "PATH": "/usr/bin:/bin", "DATABASE_URL": "postgres://localhost/x", "MESSAGE": "rm -rf / is dangerous", "LD_LIBRARY_PATH": "/opt/x/lib",
		"GIT_SSH_COMMAND": "ssh -i ~/.ssh/id -o StrictHostKeyChecking=no", "BASH_FUNC_module%%": "() { eval `/usr/bin/modulecmd bash $*`; }",
	}
	for name, value := range harmless {
		if got := c.CheckEnvironment(map[string]string{name: value}, here()); len(got) > 0 {
			t.Errorf("%s=%s: false alarm %+v", name, value, got)
		}
	}
}
