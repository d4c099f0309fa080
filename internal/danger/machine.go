package danger

import (
	"regexp"
	"strings"
)

// machineRule judges the commands that stop the machine, its processes and its
// defences, and that wipe traces.
func machineRule(name string) func(*command) stream {
	switch name {
	case "dbus-send", "busctl", "gdbus", "qdbus":
		return func(c *command) stream {
			if powerCall.MatchString(joined(c.args)) {
				c.k.add("machine", c.line(), "stops or restarts the machine")
			}
			return stream{}
		}
	case "shutdown", "reboot", "poweroff", "halt":
		return shutdown
	case "init", "telinit":
		return func(c *command) stream {
			if c.any("0", "6", "1", "s", "S") {
				c.k.add("machine", c.line(), "stops or restarts the machine")
			}
			return stream{}
		}
	case "systemctl", "loginctl", "service", "rc-service", "launchctl":
		return service
	case "kill", "pkill", "killall", "killall5", "skill":
		return kill
	case "iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "setenforce", "auditctl", "pfctl":
		return defences
	case "ip", "ifconfig", "nmcli", "route":
		return func(c *command) stream {
			if c.inOrder("route", "del", "default") || c.name == "route" && c.inOrder("del", "default") || c.inOrder("route", "delete", "default") || c.inOrder("networking", "off") || c.inOrder("radio", "all", "off") {
				c.k.add("machine", c.line(), "takes the machine off the network")
			}
			if c.any("down", "flush") && (c.any("link", "addr", "address", "route", "conn", "connection") || c.name == "ifconfig") {
				c.k.add("machine", c.line(), "takes the machine off the network")
			}
			return stream{}
		}
	case "sysctl":
		return func(c *command) stream {
			if opts, _ := c.split(""); opts.has("w", "write", "p", "load") || strings.Contains(joined(c.args), "=") {
				c.k.add("machine", c.line(), "changes the running kernel")
			}
			return stream{}
		}
	case "rmmod", "insmod", "modprobe", "kexec":
		return func(c *command) stream {
			if opts, ops := c.split(""); (len(ops) > 0 || c.name == "kexec" && opts.has("e", "exec", "f")) && !opts.has("n", "dry-run", "show-depends", "D") {
				c.k.add("machine", c.line(), "changes the running kernel")
			}
			return stream{}
		}
	case "crontab":
		return crontab
	case "apt", "apt-get", "aptitude", "yum", "dnf", "zypper", "pacman", "dpkg", "rpm", "apk", "brew":
		return packages
	case "usermod", "useradd", "userdel", "deluser", "adduser", "groupdel", "passwd", "chpasswd", "chsh", "gpasswd":
		return users
	case "journalctl", "dmesg", "logrotate", "wevtutil", "last", "unset":
		return traces
	}
	return nil
}

// powerCall finds the calls by which a desktop stops the machine.
var powerCall = regexp.MustCompile(`login1.*(?:PowerOff|Reboot|Halt|Suspend|Hibernate|KExec|TerminateUser|KillUser)|ksmserver.*logout|SessionManager.*(?:Shutdown|Logout|Reboot)`)

func shutdown(c *command) stream {
	opts, _ := c.split("")
	if c.name == "shutdown" && opts.has("c", "k", "show") || opts.has("help", "version", "w", "wtmp-only") {
		return stream{}
	}
	c.k.add("machine", c.line(), "stops or restarts the machine")
	return stream{}
}

// vital are the services without which nobody gets in, or all gets out.
var vital = map[string]bool{
	"ssh": true, "sshd": true, "networking": true, "network": true, "networkmanager": true, "systemd-networkd": true, "systemd-resolved": true,
	"firewalld": true, "ufw": true, "nftables": true, "iptables": true, "apparmor": true, "auditd": true, "dbus": true, "systemd-journald": true, "rsyslog": true, "fail2ban": true,
}

func service(c *command) stream {
	opts, ops := c.split("tpnHM")
	if len(ops) == 0 || opts.has("dry-run", "help") {
		return stream{}
	}
	verb := ops[0].s
	names := ops[1:]
	if c.name == "service" || c.name == "rc-service" {
		if len(ops) > 1 {
			verb, names = ops[1].s, ops[:1]
		}
	}
	switch verb {
	case "poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "rescue", "emergency", "exit", "isolate", "soft-reboot":
		c.k.add("machine", c.line(), "stops or restarts the machine")
	case "stop", "disable", "mask", "kill":
		for _, n := range names {
			name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(n.s, ".service"), ".socket"))
			if vital[name] || strings.Contains(name, "*") {
				c.k.add("machine", c.line(), "stops a service that access or protection depends on")
			}
		}
	case "terminate-user", "kill-user", "terminate-session":
		c.k.add("machine", c.line(), "ends all that a user runs")
	}
	return stream{}
}

func kill(c *command) stream {
	opts, ops := c.split("usgPtn", "signal", "user")
	if c.any("-l", "-L", "--list", "--help") || opts.has("0") || c.any("-0") || opts["s"] == "0" {
		return stream{}
	}
	switch c.name {
	case "killall5":
		c.k.add("machine", c.line(), "ends all processes")
		return stream{}
	case "kill":
		// A number after the signal may be negative: a group, or with -1 all.
		nums := c.args
		if len(nums) > 0 && strings.HasPrefix(nums[0].s, "-") && len(nums) > 1 {
			if nums[0].s == "-s" || nums[0].s == "-n" {
				nums = nums[1:]
			}
			nums = nums[1:]
		}
		if len(nums) > 1 && nums[0].s == "--" {
			nums = nums[1:]
		}
		for _, n := range nums {
			if n.s == "1" || n.s == "-1" {
				c.k.add("machine", c.line(), "signals process 1 or all processes at once")
			}
		}
		return stream{}
	}
	if opts.has("u", "user") && len(ops) == 0 {
		c.k.add("machine", c.line(), "ends all that a user runs")
	}
	for _, o := range ops {
		name := strings.Trim(o.s, "^$")
		if name == "." || name == ".*" || name == "" || vital[name] || name == "systemd" || name == "init" || name == "Xorg" || name == "gnome-shell" || name == "launchd" {
			c.k.add("machine", c.line(), "ends processes that access or everything depends on")
		}
	}
	return stream{}
}

// defences judges what takes down a firewall or a guard.
func defences(c *command) stream {
	opts, _ := c.split("tP")
	bad := false
	switch c.name {
	case "iptables", "ip6tables":
		bad = opts.has("F", "flush", "X", "P", "policy")
	case "nft":
		bad = c.any("flush", "delete")
	case "ufw":
		bad = c.any("disable", "reset") && !opts.has("dry-run")
	case "firewall-cmd":
		bad = opts.has("panic-on")
	case "setenforce":
		bad = c.any("0", "Permissive", "permissive")
	case "auditctl":
		bad = opts.has("e", "D") && !c.any("1")
	case "pfctl":
		bad = opts.has("d", "F")
	}
	if bad {
		c.k.add("machine", c.line(), "takes down a protection, or locks everybody out")
	}
	return stream{}
}

func crontab(c *command) stream {
	opts, ops := c.split("u")
	switch {
	case opts.has("r"):
		c.k.add("delete", c.line(), "deletes all of the user's scheduled jobs")
	case c.in.taint&(fromNet|fromCode) != 0 && (len(ops) == 0 || ops[0].s == "-"):
		c.tainted(c.in.taint, "")
	case len(ops) > 0 && !opts.has("l", "e", "V", "T"):
		c.k.add("overwrite", c.line(), "replaces all of the user's scheduled jobs")
		for line := range strings.SplitSeq(c.in.text, "\n") {
			if f := strings.Fields(line); len(f) > 5 {
				c.k.inside(Shell, strings.Join(f[5:], " "))
			}
		}
	}
	return stream{}
}

// essential are the packages without which a machine is lost.
var essential = map[string]bool{
	"libc6": true, "glibc": true, "bash": true, "coreutils": true, "systemd": true, "systemd-sysv": true, "dpkg": true, "apt": true, "sudo": true,
	"openssh-server": true, "linux-image-amd64": true, "kernel": true, "*": true, "init": true, "util-linux": true, "dash": true, "login": true, "pacman": true, "rpm": true, "musl": true, "busybox": true, "python3": true, "python3-minimal": true, "perl-base": true, "libc-bin": true, "glibc-common": true,
}

func packages(c *command) stream {
	opts, ops := c.split("ot")
	if opts.has("dry-run", "simulate", "just-print", "print") || opts.has("s") && strings.HasPrefix(c.name, "apt") {
		return stream{}
	}
	removes := opts.has("purge", "R", "Rns", "erase") || c.name == "dpkg" && opts.has("r", "P", "remove") || c.name == "rpm" && opts.has("e")
	for _, o := range ops {
		removes = removes || contains([]string{"remove", "purge", "erase", "autoremove", "del", "uninstall", "rm"}, o.s)
	}
	for _, o := range ops {
		if removes && c.name == "brew" && o.src != nil && strings.ContainsRune(o.s, unknown) {
			c.k.add("machine", c.line(), "removes packages that cannot be told beforehand")
		}
		if removes && (essential[o.s] || strings.HasPrefix(o.s, "linux-image")) {
			c.k.add("machine", c.line(), "removes a package that the system cannot do without")
		}
	}
	return stream{}
}

func users(c *command) stream {
	opts, ops := c.split("uGgscd", "groups", "uid", "gid", "shell", "home", "comment")
	if g, ok := opts["groups"]; ok {
		opts["G"] = g
	}
	bad := ""
	switch c.name {
	case "userdel", "deluser":
		bad = "deletes a user, perhaps with all files"
	case "chpasswd":
		bad = "changes passwords"
	case "passwd":
		if opts.has("d", "delete", "l", "lock", "stdin") || len(ops) > 0 && ops[0].s == "root" {
			bad = "changes another user's password"
		}
	case "useradd", "adduser":
		if opts["u"] == "0" || c.any("sudo", "wheel", "root") {
			bad = "makes a user with rights of the superuser"
		}
	case "usermod", "gpasswd":
		if strings.Contains(opts["G"]+" "+joined(ops)+" "+opts["u"], "sudo") || groups(opts["G"]+","+opts["a"]+","+joined(ops), "wheel", "root", "docker", "0", "admin", "shadow", "disk") {
			bad = "gives a user rights of the superuser"
		}
	}
	if bad != "" && !opts.has("help", "h", "S", "status") {
		c.k.add("permissions", c.line(), bad)
	}
	return stream{}
}

// groups reports whether one of the names is in a list with commas or blanks.
func groups(list string, names ...string) bool {
	for g := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		if contains(names, g) {
			return true
		}
	}
	return false
}

// traces judges what wipes logs and histories.
func traces(c *command) stream {
	opts, ops := c.split("nu")
	bad := ""
	switch c.name {
	case "journalctl":
		for o := range opts {
			if strings.HasPrefix(o, "vacuum") {
				bad = "wipes the system's log"
			}
		}
	case "dmesg":
		if opts.has("C", "clear", "c", "read-clear") {
			bad = "wipes the kernel's log"
		}
	case "logrotate":
		if opts.has("f", "force") {
			bad = "rotates logs out of sight"
		}
	case "wevtutil":
		if c.any("cl", "clear-log") {
			bad = "wipes a log"
		}
	case "set":
		if c.arg(0) == "+o" && c.arg(1) == "history" {
			bad = "keeps the shell's history from being written"
		}
	case "unset":
		for _, o := range ops {
			if o.s == "HISTFILE" || o.s == "HISTSIZE" {
				bad = "keeps the shell's history from being written"
			}
		}
	}
	if bad != "" {
		c.k.add("traces", c.line(), bad)
	}
	return stream{}
}
