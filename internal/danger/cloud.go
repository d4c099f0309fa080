package danger

import "strings"

// cloudRule judges containers, clusters and clouds.
func cloudRule(name string) func(*command) stream {
	switch name {
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose", "lxc", "incus":
		return docker
	case "kubectl", "oc", "k", "microk8s", "k3s":
		return kubectl
	case "ansible":
		return func(c *command) stream {
			opts, _ := c.split("amiueflKk", "args", "module-name")
			text, module := opts["a"]+opts["args"], opts["m"]+opts["module-name"]
			if text != "" {
				c.remoteText(text, stream{})
			}
			if base(module) == "reboot" || strings.HasSuffix(module, ".reboot") || strings.Contains(text, "state=absent") && strings.Contains(text, "path=/") {
				c.k.add("machine", c.line(), "restarts machines, or deletes on them")
			}
			return stream{}
		}
	}
	return nil
}

// dockerGlobal are the option letters of docker's run and exec that take a value.
const dockerValued = "aceFhlmpuvwH"

func docker(c *command) stream {
	_, rest := splitArgs(c.args, "fHlcpn", true, "context", "host", "log-level", "config", "file", "project-name", "profile", "env-file")
	verb, rest := c.dockerVerb(rest)
	if verb == "" {
		return stream{}
	}
	sub := &command{shell: c.shell, name: c.name + " " + verb, args: rest, in: c.in}
	valued := "ft"
	if strings.HasPrefix(verb, "rm") {
		valued = ""
	}
	o, ops := sub.split(valued, "filter", "timeout")
	if o.has("help") {
		return stream{}
	}
	switch verb {
	case "images", "ps":
		if f := o["f"] + o["filter"]; f == "dangling=true" || f == "status=exited" || f == "status=created" {
			return stream{text: "left-over", known: true} // what nobody uses
		}
	case "cp":
		if len(ops) > 1 && !strings.Contains(ops[len(ops)-1].s, ":") {
			c.writes(ops[len(ops)-1].s, false)
		}
	case "exec", "run", "compose exec", "compose run":
		return sub.inContainer(strings.HasSuffix(verb, "run"))
	}
	if why := dockerLoses(verb, sub, o, ops); why != "" {
		c.k.add("cloud", c.line(), why)
	}
	return stream{}
}

// dockerVerb returns docker's verb, "compose" and the next one for its services, and
// the words behind it.
func (c *command) dockerVerb(rest []field) (string, []field) {
	if len(rest) == 0 {
		return "", nil
	}
	verb := rest[0].s
	if verb != "compose" && verb != "container" {
		if strings.HasSuffix(c.name, "-compose") {
			verb = "compose " + verb
		}
		return verb, rest[1:]
	}
	_, rest = splitArgs(rest[1:], "fpH", true, "file", "project-name", "profile", "env-file")
	switch {
	case len(rest) == 0:
		return "", nil
	case verb == "compose":
		return "compose " + rest[0].s, rest[1:]
	}
	return rest[0].s, rest[1:]
}

// dockerLoses says what a verb of docker destroys, "" when nothing.
func dockerLoses(verb string, sub *command, o options, ops []field) string {
	why := ""
	switch verb {
	case "system":
		if sub.any("prune", "reset") {
			why = "deletes all containers, images and networks that do not run, perhaps volumes too"
		}
	case "volume":
		if sub.any("rm", "remove", "prune") {
			why = "deletes volumes with their data"
		}
	case "rm", "rmi", "kill", "stop", "image", "images":
		for _, op := range ops {
			if strings.ContainsRune(op.s, unknown) && (strings.HasPrefix(verb, "rm") || verb == "kill") {
				why = "ends or deletes all containers or images"
			}
		}
		if verb == "image" && sub.any("prune") && o.has("a", "all") {
			why = "deletes all images that no container uses"
		}
	case "compose down":
		if o.has("v", "volumes") || sub.any("--rmi") {
			why = "deletes the services' volumes with their data"
		}
	case "compose rm":
		if o.has("v") {
			why = "deletes the services' volumes with their data"
		}
	case "delete":
		why = "deletes a machine with its data"
	case "swarm":
		if sub.any("leave") && o.has("f", "force") {
			why = "takes this machine out of its cluster"
		}
	}
	return why
}

// inContainer reads the command that a container is to run.
func (c *command) inContainer(fresh bool) stream {
	_, rest := splitArgs(c.args, dockerValued, true, "name", "env", "env-file", "volume", "workdir", "user", "network", "mount", "publish", "entrypoint",
		"label", "hostname", "memory", "cpus", "platform", "pull", "restart", "shm-size", "ulimit", "add-host", "cap-add", "cap-drop", "device", "dns", "gpus", "ipc", "log-driver", "pid", "security-opt", "tmpfs", "index", "detach-keys", "net", "link", "expose", "runtime")
	host := false
	for i, a := range c.args {
		v := a.s
		if _, val, ok := strings.Cut(a.s, "="); ok && strings.HasPrefix(a.s, "-") {
			v = val
		}
		if i > 0 && contains([]string{"-v", "--volume", "--mount"}, c.args[i-1].s) || v != a.s || strings.HasPrefix(a.s, "-v") {
			host = host || strings.HasPrefix(strings.TrimPrefix(v, "-v"), "/:") || strings.Contains(v, "source=/,") || strings.Contains(v, "src=/,")
		}
	}
	if host && fresh {
		c.k.add("cloud", c.line(), "gives a container the whole file system of the host")
	}
	if len(rest) < 2 {
		return stream{}
	}
	return c.boxedWords(rest[1:])
}

// boxedWords is remoteWords in a container, whose temporary files nobody else has.
func (c *command) boxedWords(words []field) stream {
	before := c.k.boxed
	c.k.boxed = true
	out := c.remoteWords(words, c.in)
	c.k.boxed = before
	return out
}

func kubectl(c *command) stream {
	opts, rest := splitArgs(c.args, "nso", true, "namespace", "context", "kubeconfig", "cluster", "user", "server", "as", "token")
	_ = opts
	if len(rest) == 0 {
		return stream{}
	}
	if strings.HasSuffix(c.name, "k8s") || c.name == "k3s" {
		if rest[0].s == "kubectl" {
			rest = rest[1:]
		}
	}
	if len(rest) == 0 {
		return stream{}
	}
	sub := &command{shell: c.shell, name: c.name + " " + rest[0].s, args: rest[1:], in: c.in}
	o, ops := sub.split("nflocp", "namespace", "filename", "selector", "output", "grace-period", "container")
	if o.has("help", "h") || strings.HasPrefix(o["dry-run"], "client") || strings.HasPrefix(o["dry-run"], "server") {
		return stream{}
	}
	switch rest[0].s {
	case "delete":
		if !daily(o, ops) {
			c.k.add("cloud", c.line(), "deletes from the cluster")
		}
	case "drain":
		c.k.add("cloud", c.line(), "moves everything off a node")
	case "replace":
		if o.has("force") {
			c.k.add("cloud", c.line(), "deletes and makes anew in the cluster")
		}
	case "get":
		kind := ""
		if len(ops) > 0 {
			kind = ops[0].s
		}
		if (strings.HasPrefix(kind, "secret")) && o.has("o", "output") && !contains([]string{"name", "wide"}, o["o"]+o["output"]) {
			c.k.add("credentials", c.line(), "prints the cluster's secrets")
		}
	case "exec":
		for i, a := range sub.args {
			if a.s == "--" {
				return c.boxedWords(sub.from(i + 1))
			}
		}
		if _, words := splitArgs(sub.args, "nc", false, "namespace", "container"); len(words) > 1 {
			return c.boxedWords(words[1:])
		}
	}
	return stream{}
}

// daily reports whether kubectl deletes what its controller makes anew, or what one
// file describes: pods and jobs by their names, kubectl delete -f job.yaml.
func daily(o options, ops []field) bool {
	if o.has("all", "all-namespaces", "A", "l", "selector", "k", "R") || o.has("recursive") {
		return false
	}
	file := o["f"] + o["filename"]
	if len(ops) == 0 {
		return (strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".yml") || strings.HasSuffix(file, ".json")) && !strings.Contains(file, "://") && !strings.ContainsAny(file, "*?")
	}
	kind, _, slash := strings.Cut(ops[0].s, "/")
	if !slash && len(ops) < 2 {
		return false
	}
	for _, op := range ops {
		if strings.ContainsRune(op.s, unknown) {
			return false
		}
	}
	return contains([]string{"pod", "pods", "po", "job", "jobs", "replicaset", "rs", "event", "events", "lease"}, kind)
}
