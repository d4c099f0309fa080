package danger

import (
	"regexp"
	"strings"
)

// commandVars are the variables whose value programs run as a command.
var commandVars = map[string]bool{
	"PROMPT_COMMAND": true, "PAGER": true, "MANPAGER": true, "SYSTEMD_PAGER": true, "EDITOR": true, "VISUAL": true, "FCEDIT": true, "SUDO_EDITOR": true,
	"BROWSER": true, "LESSOPEN": true, "LESSCLOSE": true, "GIT_PAGER": true, "GIT_EDITOR": true, "GIT_SSH": true, "GIT_SSH_COMMAND": true,
	"GIT_SEQUENCE_EDITOR": true, "GIT_ASKPASS": true, "GIT_EXTERNAL_DIFF": true, "GIT_PROXY_COMMAND": true, "SSH_ASKPASS": true, "SUDO_ASKPASS": true,
	"RSYNC_RSH": true, "CVS_RSH": true, "PSQL_PAGER": true, "PSQL_EDITOR": true, "KUBE_EDITOR": true, "TAR_OPTIONS": true, "MAKEFLAGS": true,
	"FZF_DEFAULT_COMMAND": true, "HOMEBREW_EDITOR": true, "CC": true, "CXX": true, "RUSTC_WRAPPER": true, "PYTHONBREAKPOINT": true,
}

// commandName finds others by the end of their names.
var commandName = regexp.MustCompile(`(?:PAGER|EDITOR|_COMMAND|_CMD|_RSH|_ASKPASS|BROWSER|_HOOK|_PROXYCMD)$`)

// assigned judges the variables that mean something to the shell.
func (s *shell) assigned(name string, val []field) {
	text := ""
	if len(val) > 0 {
		text = val[0].s
	}
	if commandVars[name] || commandName.MatchString(name) {
		s.k.inside(Shell, text)
	}
	s.subscripts(text)
	switch name {
	case "HISTFILE":
		if text == "" || text == "/dev/null" {
			s.k.add("traces", name+"="+text, "keeps the shell's history from being written")
		}
	case "HISTSIZE", "HISTFILESIZE", "SAVEHIST":
		if text == "0" {
			s.k.add("traces", name+"="+text, "wipes the shell's history")
		}
	case "PS0", "PS1", "PS2", "PS4", "PROMPT", "RPROMPT", "ENV":
		s.evaluates(text)
	case "BASH_ENV":
		if len(val) > 0 && val[0].src != nil && val[0].src.known {
			text = val[0].src.text
		}
		s.k.inside(Shell, text)
	case "LD_PRELOAD":
		if text != "" && (strings.HasPrefix(text, "/tmp/") || s.fetched[text]) {
			s.k.add("remote", name+"="+text, "loads foreign code into every program")
		}
	}
}
