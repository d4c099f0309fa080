package danger

import "strings"

// cloudRule judges containers, clusters and clouds.
func cloudRule(name string) func(*command) stream {
	switch name {
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose", "lxc", "incus":
		return docker
	case "kubectl", "oc", "k", "microk8s", "k3s":
		return kubectl
	case "helm", "terraform", "tofu", "terragrunt", "pulumi", "aws", "gsutil", "gcloud", "az", "heroku", "fly", "flyctl", "doctl", "gh", "glab", "npm", "vagrant", "eksctl", "s3cmd", "mc", "rclone", "cargo", "minikube", "kind":
		return destroys
	case "ansible":
		return func(c *command) stream {
			opts, _ := c.split("amiueflKk", "args", "module-name")
			if text := opts["a"] + opts["args"]; text != "" {
				c.remoteText(text, stream{})
			}
			return stream{}
		}
	}
	return nil
}

// dockerGlobal are the option letters of docker's run and exec that take a value.
const dockerValued = "aceFhlmpuvwH"

func docker(c *command) stream {
	opts, rest := splitArgs(c.args, "fHlcpn", true, "context", "host", "log-level", "config", "file", "project-name", "profile", "env-file")
	_ = opts
	if len(rest) == 0 {
		return stream{}
	}
	verb := rest[0].s
	if verb == "compose" || verb == "container" {
		_, rest = splitArgs(rest[1:], "fpH", true, "file", "project-name", "profile", "env-file")
		if len(rest) == 0 {
			return stream{}
		}
		if verb == "compose" {
			verb = "compose " + rest[0].s
		} else {
			verb = rest[0].s
		}
	} else if strings.HasSuffix(c.name, "-compose") {
		verb = "compose " + verb
	}
	sub := &command{shell: c.shell, name: c.name + " " + verb, args: rest[1:], in: c.in}
	valued := "ft"
	if strings.HasPrefix(verb, "rm") {
		valued = ""
	}
	o, ops := sub.split(valued, "filter", "timeout")
	if o.has("help") {
		return stream{}
	}
	why := ""
	switch verb {
	case "exec", "run", "compose exec", "compose run":
		return sub.inContainer(strings.HasSuffix(verb, "run"))
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
			if strings.ContainsRune(op.s, unknown) && strings.HasPrefix(verb, "rm") {
				why = "deletes all containers or images"
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
	if why != "" {
		c.k.add("cloud", c.line(), why)
	}
	return stream{}
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
	return c.remoteWords(rest[1:], c.in)
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
		c.k.add("cloud", c.line(), "deletes from the cluster")
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
				return c.remoteWords(sub.from(i+1), c.in)
			}
		}
		if _, words := splitArgs(sub.args, "nc", false, "namespace", "container"); len(words) > 1 {
			return c.remoteWords(words[1:], c.in)
		}
	}
	return stream{}
}

// destroyWords are the words by which a tool destroys what it manages: all words
// of an entry, in this order, among its arguments.
var destroyWords = map[string][][]string{
	"helm":       {{"uninstall"}, {"delete"}},
	"terraform":  {{"destroy"}, {"apply", "-destroy"}, {"state", "rm"}, {"workspace", "delete"}},
	"tofu":       {{"destroy"}, {"apply", "-destroy"}, {"state", "rm"}},
	"terragrunt": {{"destroy"}, {"destroy-all"}, {"run-all", "destroy"}},
	"pulumi":     {{"destroy"}, {"stack", "rm"}},
	"gsutil":     {{"rm", "-r"}, {"rm", "-R"}, {"rb"}, {"rsync", "-d"}},
	"heroku":     {{"apps:destroy"}, {"pg:reset"}, {"addons:destroy"}},
	"fly":        {{"apps", "destroy"}, {"destroy"}, {"volumes", "destroy"}},
	"flyctl":     {{"apps", "destroy"}, {"destroy"}, {"volumes", "destroy"}},
	"doctl":      {{"delete"}},
	"gh":         {{"repo", "delete"}, {"release", "delete"}, {"secret", "delete"}},
	"glab":       {{"repo", "delete"}, {"project", "delete"}},
	"npm":        {{"unpublish"}},
	"cargo":      {{"yank"}},
	"vagrant":    {{"destroy"}},
	"eksctl":     {{"delete"}},
	"s3cmd":      {{"del", "--recursive"}, {"rb"}},
	"mc":         {{"rm", "--recursive"}, {"rb"}},
	"rclone":     {{"purge"}, {"delete"}, {"sync"}},
	"minikube":   {},
	"gcloud":     {{"delete"}},
	"az":         {{"delete"}, {"purge"}},
}

func destroys(c *command) stream {
	if c.any("--help", "-h", "--dry-run", "-n") && c.name != "az" {
		return stream{}
	}
	hit := false
	for _, words := range destroyWords[c.name] {
		hit = hit || c.inOrder(words...)
	}
	if c.name == "terraform" && c.any("plan") {
		hit = false
	}
	if c.name == "aws" {
		hit = c.destroysAWS()
	}
	if hit {
		c.k.add("cloud", c.line(), "destroys what runs or is kept elsewhere")
	}
	return stream{}
}

// destroysAWS judges the calls of the AWS command line by their verbs.
func (c *command) destroysAWS() bool {
	if c.inOrder("s3", "rb") || c.inOrder("s3", "rm", "--recursive") || c.inOrder("s3", "sync", "--delete") {
		return true
	}
	for _, a := range c.args {
		for _, verb := range []string{"delete-", "terminate-", "deregister-", "purge-", "schedule-key-deletion"} {
			if strings.HasPrefix(a.s, verb) {
				return true
			}
		}
	}
	return false
}
