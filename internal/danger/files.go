package danger

import (
	"path"
	"regexp"
	"strings"
)

// fileRule judges the commands that delete, overwrite and give away files.
func fileRule(name string) func(*command) stream {
	switch name {
	case "rm", "grm", "srm", "unlink", "rmdir":
		return rm
	case "shred", "wipe":
		return shred
	case "mv", "gmv":
		return mv
	case "cp", "gcp", "install", "ln", "link":
		return cp
	case "truncate":
		return func(c *command) stream {
			_, ops := c.split("sr", "size", "reference")
			return c.writesAll(ops)
		}
	case "rsync":
		return rsync
	case "unzip", "7z", "cpio":
		return unzip
	case "trash-empty":
		return emptyTrash
	case "gio":
		return func(c *command) stream {
			if c.arg(0) == "trash" && c.any("--empty") {
				return emptyTrash(c)
			}
			return stream{}
		}
	case "chmod", "chown", "chgrp", "setfacl", "chattr", "setcap":
		return permissions
	case "visudo", "vipw", "vigr":
		return func(c *command) stream {
			if opts, _ := c.split("f"); !opts.has("c", "help", "h", "V", "version") {
				c.k.add("permissions", c.line(), "changes who may do what on this machine")
			}
			return stream{}
		}
	case "Remove-Item", "ri", "del", "rd", "erase", "Format-Volume", "Clear-Disk", "Stop-Computer", "Restart-Computer", "Clear-EventLog":
		return func(c *command) stream { c.windows(c.line()); return stream{} }
	case "Invoke-Expression":
		return func(c *command) stream { c.tainted(c.in.taint, ""); return stream{} }
	}
	return nil
}

// places say in words where a path is.
var places = map[where]string{
	atTree:    "the whole working tree",
	atTemp:    "a directory for temporary files that others use too",
	atHome:    "the home directory",
	atDotfile: "the user's settings",
	atHomeAll: "the whole home directory",
	atOther:   "outside the working tree",
	atSystem:  "the system's own files",
	atDevice:  "a device",
	atUnknown: "a place that cannot be told beforehand",
}

// deletes judges the deleting of one path, recursive or not. why, when not
// empty, replaces the usual words.
func (s *shell) deletes(p string, recursive bool, why string) {
	sp := s.spot(p)
	if why == "" {
		verb := "deletes "
		if recursive {
			verb = "deletes, with all below it, "
		}
		why = verb + places[sp.kind]
		if sp.kind == atOther || sp.kind == atHome || sp.kind == atTemp {
			why = verb + "what is not in the working tree"
		}
	}
	switch sp.kind {
	case atInside, atMade, atNowhere, atCache:
	case atTemp:
		if !s.k.boxed && (recursive || sp.all) {
			s.k.add("delete", p, why)
		}
	case atSystem, atDevice:
		if strings.HasPrefix(sp.path, "/var/cache/") || sp.path == "/var/lib/apt/lists" {
			return // filled again
		}
		if strings.HasPrefix(sp.path, "/var/log/") {
			s.k.add("traces", p, "wipes a log")
		}
		s.k.add("delete", p, why)
	case atDotfile:
		if isHistory(sp.path) {
			s.k.add("traces", p, "wipes a history")
		}
		s.k.add("delete", p, why)
	case atTree:
		if recursive {
			s.k.add("delete", p, why)
		}
	default:
		if recursive || sp.all {
			s.k.add("delete", p, why)
		}
	}
}

// isHistory reports whether a path is a shell's or client's history.
func isHistory(p string) bool { return strings.HasSuffix(p, "_history") }

// writes judges the overwriting of one path, or the appending to it.
func (s *shell) writes(p string, add bool) {
	sp := s.spot(p)
	switch {
	case sp.kind == atDevice:
		s.k.add("disk", p, "writes to a device, over what is on it")
	case sp.kind == atSystem && strings.HasPrefix(sp.path, "/proc/sysrq"):
		s.k.add("machine", p, "commands the kernel, which can stop or crash the machine")
	case sp.kind == atSystem && strings.HasPrefix(sp.path, "/var/log/"):
		s.k.add("traces", p, "overwrites a log")
	case sp.kind == atSystem:
		s.k.add("overwrite", p, "writes over the system's own files")
	case sp.kind == atDotfile && isHistory(sp.path):
		s.k.add("traces", p, "overwrites a history")
	case sp.kind == atDotfile && backup.MatchString(sp.path):
	case sp.kind == atDotfile && !strings.HasPrefix(sp.path+"/", s.k.at.Home+"/.local/bin/") && !strings.HasPrefix(sp.path+"/", s.k.at.Home+"/.local/lib/"):
		s.k.add("overwrite", p, "writes over the user's settings, which later programs obey")
	case sp.kind == atOther && !add && strings.HasPrefix(sp.path, "/home/"):
		s.k.add("overwrite", p, "writes over another user's files")
	}
}

// backup finds the names that a copy of a file is given, which no program reads.
var backup = regexp.MustCompile(`(?:\.(?:bak|backup|orig|old|save)[-.\w]*|~)$`)

// writesAll judges operands that are written to.
func (c *command) writesAll(ops []field) stream {
	for _, o := range ops {
		c.writes(o.s, false)
	}
	return stream{}
}

func rm(c *command) stream {
	c.readsInput()
	opts, ops := c.split("")
	if opts.has("help", "version") {
		return stream{}
	}
	recursive := opts.has("r", "R", "recursive", "dir")
	for _, o := range ops {
		c.deletes(o.s, recursive, "")
	}
	return stream{}
}

func shred(c *command) stream {
	opts, ops := c.split("ns", "iterations", "size", "random-source")
	if opts.has("help", "version") {
		return stream{}
	}
	for _, o := range ops {
		if c.spot(o.s).kind == atDevice {
			c.k.add("disk", o.s, "overwrites a device")
			continue
		}
		c.deletes(o.s, true, "overwrites for good what is not in the working tree")
	}
	return stream{}
}

func mv(c *command) stream {
	c.readsOperands()
	opts, ops := c.split("tS", "target-directory", "suffix")
	to := opts["t"] + opts["target-directory"]
	if to == "" && len(ops) > 1 {
		to = ops[len(ops)-1].s
		ops = ops[:len(ops)-1]
	}
	if to == "/dev/null" {
		c.k.add("delete", c.line(), "moves files to where nothing is kept")
	} else if to != "" {
		c.writes(to, false)
	}
	for _, o := range ops {
		if sp := c.spot(o.s); sp.kind == atSystem || sp.kind == atHomeAll || sp.kind == atTree && !sp.all {
			c.k.add("delete", o.s, "moves away "+places[sp.kind])
		}
	}
	return stream{}
}

func cp(c *command) stream {
	if c.name != "ln" && c.name != "link" {
		c.readsOperands()
	}
	opts, ops := c.split("tSmog", "target-directory", "mode", "owner", "group", "suffix")
	if to := opts["t"] + opts["target-directory"]; to != "" {
		c.writes(to, false)
		return stream{}
	}
	if c.name == "install" && opts.has("d", "directory") {
		return c.writesAll(ops)
	}
	if len(ops) > 1 {
		to := ops[len(ops)-1].s
		if c.name != "ln" || opts.has("f", "force") || c.spot(to).kind != atDotfile {
			c.writes(to, false) // without -f, ln writes over nothing
		}
	}
	return stream{}
}

func rsync(c *command) stream {
	opts, ops := c.split("efMT", "rsh", "exclude", "include", "filter", "rsync-path")
	if cmd := opts["e"] + opts["rsh"]; cmd != "" {
		c.k.inside(Shell, cmd)
	}
	c.readsOperands()
	if opts.has("n", "dry-run") || len(ops) < 2 {
		return stream{}
	}
	to := ops[len(ops)-1].s
	deletes := false
	for o := range opts {
		deletes = deletes || strings.HasPrefix(o, "del") || o == "remove-source-files" && false
	}
	far := strings.Contains(to, ":") && !strings.HasPrefix(to, "/") && !strings.HasPrefix(to, ".")
	switch sp := c.spot(to); {
	case deletes && far && deployed(to):
	case deletes && far:
		c.k.add("delete", c.line(), "deletes on another machine what is not here")
	case deletes && sp.kind != atInside && sp.kind != atMade:
		c.k.add("delete", c.line(), "deletes outside the working tree what the source does not have")
	case !far:
		c.writes(to, false)
	}
	return stream{}
}

// deployed reports whether host:path is a directory that one program is put into, such
// as host:/var/www/app, rather than one that holds many.
func deployed(to string) bool {
	_, p, _ := strings.Cut(to, ":")
	elems := strings.Split(strings.Trim(path.Clean(p), "/"), "/")
	return len(elems) > 2 && (elems[0] == "var" || elems[0] == "srv" || elems[0] == "opt" || elems[0] == "home") && !strings.ContainsRune(p, unknown) && !strings.Contains(p, "*")
}

func unzip(c *command) stream {
	c.unpacked()
	for i, a := range c.args {
		if a.s == "-d" || a.s == "-D" {
			if i+1 < len(c.args) {
				c.unpacks(c.args[i+1].s)
			}
		}
		if dir, ok := strings.CutPrefix(a.s, "-o/"); ok && c.name == "7z" {
			c.unpacks("/" + dir)
		}
	}
	return stream{}
}

func emptyTrash(c *command) stream {
	c.k.add("delete", c.line(), "empties the trash, from which nothing comes back")
	return stream{}
}

// permissions judges what changes owners, modes and attributes.
func permissions(c *command) stream {
	opts, ops := c.split("", "reference", "from")
	if opts.has("help", "version") {
		return stream{}
	}
	recursive := opts.has("R", "recursive")
	mode := ""
	files := ops
	if c.name != "setfacl" && c.name != "chattr" && len(ops) > 0 && !opts.has("reference") {
		mode, files = ops[0].s, ops[1:]
	}
	for _, a := range c.args {
		// A mode that begins with a minus looks like options.
		if c.name == "chmod" && len(a.s) > 1 && a.s[0] == '-' && strings.Trim(a.s[1:], "rwxXst") == "" && a.s[1] != 'R' {
			mode, files = a.s, ops
		}
	}
	if c.name == "chattr" && len(ops) > 1 {
		files = ops[1:]
	}
	if c.name == "setcap" && !opts.has("v", "r") {
		c.k.add("permissions", c.line(), "gives a program rights of the superuser")
		return stream{}
	}
	if c.name == "chmod" && setuid(mode) {
		c.k.add("permissions", c.line(), "lets everybody run the program with its owner's rights")
	}
	for _, f := range files {
		sp := c.spot(f.s)
		switch {
		case sp.kind == atSystem:
			c.k.add("permissions", c.line(), "changes the permissions of the system's own files")
		case recursive && (sp.kind == atHomeAll || sp.kind == atOther || sp.kind == atUnknown):
			c.k.add("permissions", c.line(), "changes permissions recursively outside the working tree")
		case sp.kind == atDevice:
			c.k.add("permissions", c.line(), "changes who may use a device")
		}
	}
	return stream{}
}

// setuid reports whether a mode sets the user or group on execution.
func setuid(mode string) bool {
	if isNumber(mode) {
		return len(mode) == 4 && strings.Contains("24567", mode[:1]) && mode[0] != '0' && mode[0] != '1'
	}
	return strings.Contains(mode, "+s") || strings.Contains(mode, "+xs") || strings.Contains(mode, "=s") || strings.Contains(mode, "u+") && strings.Contains(mode, "s")
}
