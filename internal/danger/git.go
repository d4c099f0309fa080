package danger

import "strings"

// gitRule judges git: what loses work that no reflog keeps, and what overwrites
// the branches of others.
func gitRule(name string) func(*command) stream {
	if name == "git" {
		return git
	}
	return nil
}

func git(c *command) stream {
	opts, rest := splitArgs(c.args, "cC", true, "git-dir", "work-tree", "namespace", "exec-path", "config-env")
	if _, cmd, ok := strings.Cut(opts["c"], "="); ok {
		c.k.inside(Shell, strings.TrimPrefix(cmd, "!"))
	}
	if len(rest) == 0 {
		return stream{}
	}
	sub := &command{shell: c.shell, name: "git " + rest[0].s, args: rest[1:], in: c.in}
	o, ops := sub.split("mCbBoO", "message", "source", "grep", "author", "branch", "pathspec-from-file")
	if sub.any("--dry-run") || sub.any("--help") {
		return stream{}
	}
	switch rest[0].s {
	case "credential":
		if len(ops) > 0 && ops[0].s == "fill" {
			c.k.add("credentials", sub.line(), "prints credentials")
		}
	case "clone":
		if len(ops) > 1 {
			c.writes(ops[len(ops)-1].s, false)
		}
	case "rebase", "bisect", "submodule":
		gitRuns(sub)
	case "rev-parse":
		if sub.any("--show-toplevel") && c.k.at.Dir != "" {
			return stream{text: c.k.at.Dir, known: true}
		}
	case "ls-files":
		return stream{items: []string{"./" + string(unknown)}}
	}
	if why := gitLoses(rest[0].s, sub, o, ops); why != "" {
		c.k.add("git", sub.line(), why)
	}
	return stream{}
}

// gitLoses says what a verb of git throws away or overwrites, "" when nothing.
func gitLoses(verb string, sub *command, o options, ops []field) string {
	switch verb {
	case "push":
		return pushes(o, ops)
	case "branch":
		if sub.any("-D") || sub.any("-d", "--delete") && o.has("f", "force") {
			return deletesMain(sub.args)
		}
	case "reset":
		if o.has("hard") {
			return "throws away all changes that are not committed"
		}
	case "clean":
		return cleans(sub, o, ops)
	case "checkout", "restore", "switch":
		return discards(verb, sub, o, ops)
	case "stash":
		if len(ops) > 0 && (ops[0].s == "clear" || ops[0].s == "drop") {
			return "throws stashed changes away"
		}
	case "filter-branch", "filter-repo":
		return "rewrites the whole history"
	case "reflog":
		if len(ops) > 0 && (ops[0].s == "expire" || ops[0].s == "delete") {
			return "deletes the records from which lost commits are found"
		}
	case "gc", "prune":
		if v, ok := o["prune"]; ok && v != "" && v != "never" {
			return "deletes for good what no branch holds"
		}
	case "update-ref":
		if o.has("d") {
			return "deletes a reference"
		}
	case "config":
		return configures(sub)
	}
	return ""
}

// deletesMain reports whether a branch that others build on is to be deleted,
// merged or not.
func deletesMain(args []field) string {
	for _, a := range args {
		if contains([]string{"main", "master", "trunk", "develop", "production", "release"}, a.s) {
			return "deletes a main branch, merged or not"
		}
	}
	return ""
}

// pushes judges a push.
func pushes(o options, ops []field) string {
	if o.has("n", "dry-run") {
		return ""
	}
	if o.has("force-with-lease") && !o.has("f", "force", "mirror", "all") && len(ops) == 2 && ownBranch(ops[1].s) {
		return ""
	}
	if o.has("f", "force", "force-with-lease", "mirror") {
		return "overwrites branches of the remote repository"
	}
	if o.has("d", "delete") {
		return "deletes branches of the remote repository"
	}
	for i, ref := range ops {
		switch {
		case i == 0:
		case strings.HasPrefix(ref.s, "+"):
			return "overwrites branches of the remote repository"
		case strings.HasPrefix(ref.s, ":") && ref.s != ":":
			return "deletes branches of the remote repository"
		}
	}
	return ""
}

// ownBranch reports whether a branch that a push names is one that somebody works on
// alone, as after a rebase: not one of the main ones.
func ownBranch(ref string) bool {
	return ref != "HEAD" && !strings.ContainsAny(ref, ":+*\x00") && deletesMain([]field{{s: ref}}) == "" && strings.ContainsAny(ref, "/-")
}

// cleans judges git clean: without paths it deletes every file that git does not
// know.
func cleans(c *command, o options, ops []field) string {
	if !o.has("f", "force") || o.has("n", "dry-run", "i", "interactive") {
		return ""
	}
	for _, p := range ops {
		if sp := c.spot(p.s); sp.kind != atInside {
			ops = nil
			break
		}
	}
	if len(ops) == 0 && o.has("d", "x", "X") {
		return "deletes all files that git does not know"
	}
	return ""
}

// discards judges checkout, switch and restore: all changes at once, or by force.
func discards(verb string, c *command, o options, ops []field) string {
	const lost = "throws away all changes that are not committed"
	if verb != "restore" && (o.has("f", "force", "discard-changes")) {
		return lost
	}
	if verb == "restore" && o.has("staged", "S") && !o.has("worktree", "W") {
		return ""
	}
	for i, p := range ops {
		if verb != "switch" && strings.HasSuffix(p.s, "/") && (verb == "restore" || i > 0 || c.any("--")) {
			return "throws away all changes in a directory that are not committed"
		}
	}
	for _, p := range ops {
		if sp := c.spot(p.s); p.s == "." || p.s == ":/" || p.s == "*" || sp.kind == atTree && verb != "switch" {
			return lost
		}
	}
	return ""
}

// configures judges settings that make git run programs.
func configures(c *command) string {
	for i, a := range c.args {
		key := strings.ToLower(a.s)
		val := c.arg(i + 1)
		switch {
		case key == "core.hookspath" && val != "" && strings.HasPrefix(val, "/"):
			return "makes git run programs from elsewhere"
		case strings.HasPrefix(key, "alias.") && strings.HasPrefix(val, "!"):
			c.k.inside(Shell, val[1:])
		case contains([]string{"core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "credential.helper"}, key) && val != "":
			c.k.inside(Shell, strings.TrimPrefix(val, "!"))
		}
	}
	return ""
}

// gitRuns reads the commands that git is told to run.
func gitRuns(c *command) {
	for i, a := range c.args {
		switch {
		case (a.s == "--exec" || a.s == "-x" || a.s == "foreach") && i+1 < len(c.args):
			c.k.inside(Shell, c.arg(i+1))
		case strings.HasPrefix(a.s, "--exec="):
			c.k.inside(Shell, a.s[len("--exec="):])
		case a.s == "run" && c.name == "git bisect":
			c.nested1(c.from(i+1), c.in)
		}
	}
}
