package danger

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// windowsRule judges the shells of Windows, which run on other machines too.
func windowsRule(name string) func(*command) stream {
	switch strings.TrimSuffix(strings.ToLower(name), ".exe") {
	case "powershell", "pwsh":
		return powershell
	case "cmd":
		return func(c *command) stream {
			for i, a := range c.args {
				if strings.EqualFold(a.s, "/c") || strings.EqualFold(a.s, "/k") || strings.EqualFold(a.s, "/r") {
					c.windows(joined(c.args[i+1:]))
				}
			}
			return stream{}
		}
	}
	return nil
}

// powershell reads what PowerShell is given in its options or on its standard input.
func powershell(c *command) stream {
	given := false
	for i, a := range c.args {
		switch opt := strings.ToLower(strings.TrimLeft(a.s, "-/")); {
		case a.s == "" || a.s[0] != '-' && a.s[0] != '/' || opt == "" || i+1 == len(c.args):
		case strings.HasPrefix("encodedcommand", opt) && opt[0] == 'e' && opt != "ex":
			given = true
			c.windows(decoded(c.args[i+1].s))
		case strings.HasPrefix("command", opt):
			given = true
			if text := c.args[i+1]; text.src == nil || !c.tainted(text.src.taint, text.s) {
				c.windows(joined(c.args[i+1:]))
			}
			return stream{}
		}
	}
	if len(c.args) > 0 && !given && !strings.HasPrefix(c.arg(0), "-") && strings.Contains(c.arg(0), " ") {
		c.windows(joined(c.args))
	}
	if !given && !c.in.tty && !c.tainted(c.in.taint, "") {
		c.windows(c.in.text)
	}
	return stream{}
}

// decoded returns the text of an encoded command: UTF-16 in base64.
func decoded(text string) string {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(raw), "\x00", "")
}

// windowsDeletes are the names of what deletes files there.
var windowsDeletes = map[string]bool{"remove-item": true, "ri": true, "rm": true, "rmdir": true, "rd": true, "del": true, "erase": true, "clear-content": true}

// windowsRules are the commands there that destroy or hand over, with why.
var windowsRules = map[string][2]string{
	"format-volume": {"disk", "makes a new file system, over what is on the disk"}, "clear-disk": {"disk", "erases a disk"}, "initialize-disk": {"disk", "erases a disk"}, "format": {"disk", "makes a new file system, over what is on the disk"},
	"remove-partition": {"disk", "changes the partitions of a disk"}, "diskpart": {"disk", "changes the partitions of a disk"}, "cipher": {"disk", "erases a disk's free space"}, "reset-physicaldisk": {"disk", "erases a disk"},
	"stop-computer": {"machine", "stops or restarts the machine"}, "restart-computer": {"machine", "stops or restarts the machine"}, "shutdown": {"machine", "stops or restarts the machine"}, "bcdedit": {"disk", "changes how the machine starts"},
	"clear-eventlog": {"traces", "wipes a log"}, "wevtutil": {"traces", "wipes a log"}, "clear-history": {"traces", "wipes the shell's history"}, "vssadmin": {"delete", "deletes backups"}, "wbadmin": {"delete", "deletes backups"},
	"set-mppreference": {"machine", "takes down a protection, or locks everybody out"}, "remove-aduser": {"permissions", "deletes a user, perhaps with all files"}, "remove-localuser": {"permissions", "deletes a user, perhaps with all files"},
	"takeown": {"permissions", "changes the permissions of the system's own files"}, "remove-vm": {"cloud", "deletes a machine with its data"}, "clear-recyclebin": {"delete", "empties the trash, from which nothing comes back"},
}

// windowsRuns finds what is downloaded and run there: iex (iwr …), … | iex.
var windowsRuns = regexp.MustCompile(`(?i)(?:\biex\b|invoke-expression).*(?:\biwr\b|\birm\b|invoke-webrequest|invoke-restmethod|downloadstring|\bcurl\b|\bwget\b|frombase64string)|(?:\biwr\b|\birm\b|invoke-webrequest|invoke-restmethod|downloadstring|\bcurl\b|\bwget\b|frombase64string).*(?:\biex\b|invoke-expression)`)

// windowsSweeps finds what lists a place outside the working tree and deletes it all.
var windowsSweeps = regexp.MustCompile(`(?i)(?:get-childitem|\bgci\b|\bls\b|\bdir\b)[^|;]*(?:[a-z]:[\\/]|\$home|\$env:|~)[^|;]*\|[^;]*(?:remove-item|\bri\b|\brm\b|\bdel\b)`)

// windowsWrites finds the file that a command there writes.
var windowsWrites = regexp.MustCompile(`(?i)(?:out-file|set-content|add-content|tee-object)\s+(?:-\w+\s+)?['"]?(/[^\s'";|]+)`)

// windows reads a line for PowerShell or cmd.
func (c *command) windows(text string) {
	if !c.k.deeper(text) {
		return
	}
	defer c.k.up()
	if windowsRuns.MatchString(text) {
		c.k.add("remote", text, "runs what it downloads, unseen")
	}
	for _, m := range windowsWrites.FindAllStringSubmatch(text, maxLoop) {
		c.writes(m[1], false)
	}
	if windowsSweeps.MatchString(text) {
		c.k.add("delete", text, "deletes all that it finds outside the working tree")
	}
	for _, words := range looseCommands(strings.ReplaceAll(text, `\`, "/")) {
		if !c.k.step() {
			return
		}
		name := strings.ToLower(strings.TrimSuffix(base(words[0].s), ".exe"))
		w := &command{shell: c.shell, name: name, args: words[1:]}
		rule, ok := windowsRules[name]
		switch {
		case windowsDeletes[name]:
			w.windowsDelete()
		case ok && (len(w.args) > 0 || strings.Contains(name, "-")) && !w.any("/?", "-WhatIf", "-?"):
			c.k.add(rule[0], w.line(), rule[1])
		case !ok && fileRule(words[0].s) == nil:
			c.nested1(words, stream{})
		}
	}
}

// windowsDelete judges Remove-Item, del and rd by their options, which may be
// shortened.
func (c *command) windowsDelete() {
	recursive := false
	for _, a := range c.args {
		opt := strings.ToLower(a.s)
		recursive = recursive || opt == "/s" || strings.HasPrefix(opt, "-r") && strings.HasPrefix("-recurse", opt) || opt == "-rf" || opt == "-fr"
		if opt == "-whatif" {
			return
		}
	}
	for _, a := range c.args {
		switch {
		case strings.HasPrefix(a.s, "-") || len(a.s) == 2 && a.s[0] == '/':
		case len(a.s) > 1 && a.s[1] == ':', strings.HasPrefix(a.s, "$"), strings.HasPrefix(a.s, "%"):
			if recursive || strings.Contains(strings.ToLower(a.s), "/windows") {
				c.k.add("delete", c.line(), "deletes, with all below it, what is not in the working tree")
			}
		default:
			p := c.tilde(a.s, a.s)
			c.deletes(p, recursive, "")
		}
	}
}
