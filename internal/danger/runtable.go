package danger

import (
	"regexp"
	"strings"
)

// A runner says by which of its options or words a program runs a command, beside
// what else it does.
type runner struct {
	options []string // each is followed by a line for a shell
	after   []string // the command stands after one of these words, as words of its own
	last    bool     // a word with a blank in it is a line for a shell
}

// runners are the programs that run what they are given in an option or behind a word.
var runners = map[string]runner{
	"tar": {options: []string{"--to-command", "--use-compress-program", "-I", "--checkpoint-action", "--info-script", "--new-volume-script", "-F", "--rsh-command"}},
	"zip": {options: []string{"-TT", "--unzip-command"}}, "man": {options: []string{"-P", "--pager", "-H", "--html"}},
	"sort": {options: []string{"--compress-program"}}, "split": {options: []string{"--filter"}},
	"rg": {options: []string{"--pre", "--hostname-bin"}}, "fzf": {options: []string{"--preview", "--bind", "--execute"}}, "sk": {options: []string{"--preview", "--bind", "-c", "--cmd"}},
	"scp": {options: []string{"-S", "-o"}}, "sftp": {options: []string{"-S", "-o"}}, "rsync": {options: []string{"-e", "--rsh", "--rsync-path"}},
	"git": {options: []string{"--upload-pack", "--receive-pack", "--exec", "-x", "--open-files-in-pager", "-O", "--extcmd", "--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter", "--tag-name-filter"}},
	"npm": {options: []string{"-c", "--call"}, after: []string{"exec", "x", "--"}}, "pnpm": {options: []string{"-c"}, after: []string{"exec", "dlx"}}, "yarn": {after: []string{"exec", "dlx"}},
	"npx": {options: []string{"-c", "--call"}}, "vagrant": {options: []string{"-c", "--command"}}, "cargo": {options: []string{"--config"}},
	"fly": {options: []string{"-C", "--command"}}, "flyctl": {options: []string{"-C", "--command"}}, "heroku": {after: []string{"run", "run:detached"}},
	"gcloud": {options: []string{"--command"}}, "aws": {options: []string{"--command", "--parameters"}}, "az": {options: []string{"--scripts", "--command"}},
	"restic": {options: []string{"--password-command"}}, "rclone": {options: []string{"--password-command"}}, "borg": {options: []string{"--rsh"}},
	"mysql": {options: []string{"--pager"}}, "ip": {after: []string{"exec"}}, "cmake": {after: []string{"-E"}}, "lxc": {after: []string{"--"}}, "incus": {after: []string{"--"}},
	"nix-shell": {options: []string{"--run", "--command"}}, "nix": {options: []string{"-c", "--command"}}, "sg": {options: []string{"-c"}}, "newgrp": {options: []string{"-c"}},
	"less": {options: []string{"+"}}, "crictl": {after: []string{"exec"}}, "ctr": {after: []string{"exec"}}, "runc": {after: []string{"exec"}}, "nomad": {after: []string{"exec"}},
	"oc": {after: []string{"rsh"}}, "adb": {after: []string{"shell"}}, "salt": {after: []string{"cmd.run", "cmd.shell", "cmd.script"}}, "salt-call": {after: []string{"cmd.run"}},
	"sshfs": {options: []string{"-o"}}, "dnsmasq": {options: []string{"--conf-script", "--dhcp-script"}}, "aria2c": {options: []string{"--on-download-complete", "--on-download-error", "--on-download-start"}},
	"tcpdump": {options: []string{"-z"}}, "openvpn": {options: []string{"--up", "--down"}}, "pssh": {last: true}, "parallel-ssh": {last: true}, "pdsh": {last: true},
	"dsh": {last: true}, "clush": {last: true}, "concurrently": {last: true}, "xterm": {after: []string{"-e"}},
}

// runsOptions reads what a program's options and words give it to run. Programs of
// which nothing is known are read by the names that such options usually have.
func (c *command) runsOptions() {
	r, ok := runners[c.name]
	if !ok {
		return
	}
	for _, v := range c.values(r.options...) {
		c.runsValue(v)
	}
	for i, a := range c.args {
		if _, cmd, ok := strings.Cut(a.s, "="); ok && c.name == "npm" && strings.HasPrefix(a.s, "scripts.") {
			c.k.inside(Shell, cmd)
		}
		if c.name == "npm" && a.s == "script-shell" {
			c.k.inside(Shell, c.arg(i+1))
		}
		if contains(r.after, a.s) && i+1 < len(c.args) {
			_, rest := splitArgs(c.args[i+1:], "", true)
			c.remoteWords(rest, stream{})
			c.remoteText(joined(rest), stream{})
			break
		}
		if r.last && strings.Contains(a.s, " ") {
			c.remoteText(a.s, stream{})
		}
	}
}

// runsValue reads the value of an option that is run: a line for a shell, behind a
// key where the program wants one, as in alias.x="!cmd" and execute(cmd).
func (c *command) runsValue(v field) {
	if v.src != nil && c.tainted(v.src.taint, v.s) {
		return
	}
	text := v.s
	for _, m := range executed.FindAllStringSubmatch(text, maxLoop) {
		c.k.inside(Shell, m[1])
	}
	if name, val, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, " ;|&/") {
		text = strings.Trim(val, `"'[]{}`)
	}
	c.k.inside(Shell, strings.TrimPrefix(text, "!"))
}

// executed finds a command inside the value of an option: fzf's execute(…) and become(…).
var executed = regexp.MustCompile(`(?:execute|execute-silent|become|reload|preview|transform)[(:+{\[]([^)\]}]+)`)

// readers are the programs whose words are patterns, names or text to show: none of
// them is ever a command, whatever it says.
var readers = map[string]bool{
	"grep": true, "egrep": true, "fgrep": true, "zgrep": true, "rg": true, "ag": true, "ack": true, "ugrep": true, "pgrep": true, "pidof": true, "git-grep": true,
	"man": true, "which": true, "type": true, "whereis": true, "whatis": true, "apropos": true, "tldr": true, "info": true, "help": true, "hash": true, "declare": true,
	"logger": true, "notify-send": true, "say": true, "cowsay": true, "figlet": true, "wall": true, "write": true, "expr": true, "basename": true, "dirname": true,
	"ls": true, "stat": true, "file": true, "test": true, "[": true, "cat": true, "wc": true, "diff": true, "cmp": true, "strings": true, "jq": true, "yq": true,
	"mkdir": true, "touch": true, "export": true, "read": true, "seq": true, "locate": true, "compgen": true, "complete": true, "ps": true, "cut": true, "column": true,
}

// commandOptions are the names that options which take a command usually have.
var commandOptions = []string{
	"--command", "--cmd", "--exec", "--execute", "--run", "--shell-command", "--call", "--on-change", "--hook", "--pre-hook", "--post-hook", "--deploy-hook", "--renew-hook",
	"--before", "--after", "--pager", "--preview", "--editor", "--rsh", "--pre-exec", "--post-exec", "--script", "-c", "-e", "-x", "-exec", "-command",
}

// stranger judges a program of which nothing is known: what looks like a command in
// its options or behind its own words is read as one.
func (c *command) stranger() {
	if readers[c.name] {
		return
	}
	for _, v := range c.values(commandOptions...) {
		if strings.Contains(v.s, " ") {
			c.runsValue(v)
		}
	}
	for i, a := range c.args {
		next := c.arg(i + 1)
		name := base(a.s)
		switch {
		case strings.HasPrefix(a.s, "-") || next == "":
			continue
		case (name == "rm" || name == "chmod" || name == "chown" || name == "shred") && strings.HasPrefix(next, "-"),
			name == "dd" && strings.Contains(next, "="), strings.HasPrefix(name, "mkfs"), name == "wipefs", name == "sudo",
			shells[name] && strings.HasPrefix(next, "-") && strings.Contains(next, "c"):
			c.nested1(c.args[i:], c.in)
			return
		}
	}
}
