package danger

import (
	"path"
	"strings"
)

// secretFiles are the files that hold credentials: by the end of their path.
var secretFiles = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/sudoers",
	"/.aws/credentials", "/.netrc", "/_netrc", "/.git-credentials", "/.docker/config.json", "/.kube/config", "/.npmrc", "/.yarnrc.yml",
	"/.pypirc", "/.pgpass", "/.my.cnf", "/.config/gh/hosts.yml", "/.config/hub", "/.config/gcloud/application_default_credentials.json",
	"/.config/gcloud/credentials.db", "/.config/gcloud/access_tokens.db", "/.azure/accessTokens.json", "/.azure/msal_token_cache.json",
	"/.terraform.d/credentials.tfrc.json", "/.cargo/credentials", "/.cargo/credentials.toml", "/.gem/credentials", "/.vault-token",
	"/.config/rclone/rclone.conf", "/.s3cfg", "/.boto", "/.htpasswd", "/.password-store", "/.claude/.credentials.json", "/.codex/auth.json",
	"/logins.json", "/key4.db", "/key3.db", "/cookies.sqlite", "/Login Data", "/Cookies", "/Local State", "/login.keychain-db", "/login.keychain",
	"/wallet.dat", "/.config/op/config", "/.m2/settings.xml", "/.composer/auth.json", "/.databrickscfg", "/.snowsql/config",
	"/serviceaccount/token",
}

// secretDirs hold credentials, whatever their files' names.
var secretDirs = []string{
	"/.gnupg/private-keys-v1.d", "/.local/share/keyrings", "/.password-store", "/Library/Keychains", "/etc/ssl/private", "/var/lib/sss/secrets",
}

// secret reports whether the file at p holds credentials.
func (s *shell) secret(p string) bool {
	sp := s.spot(p)
	abs := sp.path
	dir, name := path.Split(abs)
	if strings.Contains(dir+"/", "/.ssh/") || strings.HasSuffix(abs, "/.ssh") {
		return sshSecret(name, sp.all)
	}
	if strings.HasPrefix(abs, "/etc/ssh/") && strings.HasPrefix(name, "ssh_host_") && !strings.HasSuffix(name, ".pub") {
		return true
	}
	if strings.HasPrefix(abs, "/proc/") && name == "environ" {
		return true
	}
	if sp.kind == atInside {
		return false // the project's own
	}
	for _, f := range secretFiles {
		if strings.HasSuffix(abs, f) || strings.ContainsAny(name, "*?[") && matches(f, abs) {
			return true
		}
	}
	for _, d := range secretDirs {
		if strings.Contains(abs+"/", d+"/") {
			return true
		}
	}
	return s.holdsSecrets(abs)
}

// matches reports whether pattern, a path whose last part has wildcards, may mean
// the file suffix.
func matches(suffix, pattern string) bool {
	dir, last := path.Split(pattern)
	ok, err := path.Match(last, path.Base(suffix))
	return ok && err == nil && strings.HasSuffix(dir, path.Dir(suffix)+"/") && path.Dir(suffix) != "/"
}

// holdsSecrets reports whether everything in dir includes credentials.
func (s *shell) holdsSecrets(dir string) bool {
	for _, d := range []string{"/.aws", "/.gnupg", "/.docker", "/.kube", "/.config/gh", "/.config/gcloud", "/.azure", "/.ssh", "/.password-store", "/.local/share/keyrings", "/.mozilla", "/.config/google-chrome"} {
		if strings.HasSuffix(dir, d) {
			return true
		}
	}
	return false
}

// sshSecret reports whether a file in .ssh is a private key; all means every file.
func sshSecret(name string, all bool) bool {
	switch {
	case all, name == ".ssh", name == "":
		return true
	case strings.HasSuffix(name, ".pub"):
		return false
	}
	return strings.HasPrefix(name, "id") || strings.HasSuffix(name, ".pem") || strings.HasSuffix(name, ".key") || strings.HasSuffix(name, "_rsa") || strings.HasSuffix(name, "_ed25519")
}

// readsFile judges the reading of one file.
func (s *shell) readsFile(p, why string) {
	p = strings.TrimPrefix(strings.TrimPrefix(p, "file://"), "@")
	if p == "" || strings.HasPrefix(p, "-") || !s.secret(p) {
		return
	}
	if why == "" {
		why = "reads a file that holds credentials"
	}
	s.k.add("credentials", p, why)
}

// fileTaint is what comes of reading a file: credentials, or what was downloaded.
func (s *shell) fileTaint(p string) taint {
	var t taint
	if s.secret(p) {
		t |= fromEnv
	}
	if name := path.Base(p); name == ".env" || strings.HasPrefix(name, ".env.") && name != ".env.example" && name != ".env.sample" {
		t |= fromOwn
	}
	if s.fetched[path.Clean(p)] {
		t |= fromNet
	}
	return t
}

// readsInput does nothing for what is piped in; it stands where a command ignores
// its operands' contents.
func (c *command) readsInput() {}

// readsNames are the commands that are given a path and do not show what is in
// the file, or that are what the file is for.
var readsNames = map[string]bool{
	"ls": true, "stat": true, "test": true, "[": true, "[[": true, "chmod": true, "chown": true, "ssh": true, "scp": true, "sftp": true,
	"ssh-add": true, "ssh-copy-id": true, "ssh-keygen": true, "ssh-keyscan": true, "rm": true, "mkdir": true, "touch": true, "file": true,
	"du": true, "wc": true, "dirname": true, "basename": true, "realpath": true, "readlink": true, "which": true, "type": true, "man": true,
	"kubectl": true, "oc": true, "helm": true, "docker": true, "aws": true, "git": true, "gh": true, "ansible": true, "ansible-playbook": true,
	"md5sum": true, "sha1sum": true, "sha256sum": true, "sha512sum": true, "cksum": true, "cd": true, "export": true, "mount": true, "getfacl": true, "lsattr": true,
	"tree": true, "open": true, "xdg-open": true, "code": true, "install": true, "eza": true, "exa": true, "lsd": true, "pushd": true, "fd": true, "find": true, "fdfind": true, "chgrp": true, "setfacl": true, "chattr": true, "shred": true, "curl": true, "wget": true, "xargs": true, "parallel": true, "trap": true, "eval": true,
	"alias": true, "bash": true, "sh": true, "zsh": true, "set": true, "local": true, "podman": true, "docker-compose": true, "gcloud": true, "az": true, "eksctl": true, "doctl": true, "rmdir": true, "unlink": true, "restic": true, "borg": true,
	"restorecon": true, "echo": true, "printf": true, "ln": true, "unset": true, "vault": true, "terraform": true, "k9s": true, "pg_dump": true, "psql": true, "npm": true,
}

// readsOperands judges the files that a command is given, unless it is one that
// does not show them.
func (c *command) readsOperands() {
	if readsNames[c.name] {
		return
	}
	c.filtersSecrets()
	for i, a := range c.args {
		if i == 0 && (c.name == "grep" || c.name == "rg" || c.name == "awk" || c.name == "sed") && !strings.HasPrefix(a.s, "/") {
			continue // the pattern
		}
		p := a.s
		if _, val, ok := strings.Cut(p, "="); ok && strings.HasPrefix(p, "-") {
			p = val
		}
		if len(p) > 1024 || strings.ContainsAny(p, "\n;|&") || strings.Contains(p, " -") || strings.Contains(p, " /") || strings.Contains(p, " ~") {
			continue // a line for a shell, which is read as one
		}
		c.readsFile(p, "")
	}
}

// secretRule judges the commands that print credentials.
func secretRule(name string) func(*command) stream {
	switch name {
	case "printenv":
		return func(c *command) stream {
			if len(c.args) == 0 {
				return stream{taint: fromEnv}
			}
			for _, a := range c.args {
				c.showsVariable(a.s)
			}
			return stream{}
		}
	case "gh", "glab", "gcloud", "aws", "az", "security", "secret-tool", "pass", "gopass", "op", "vault", "bw", "lpass", "doctl", "flyctl", "fly", "heroku":
		return printsSecret
	case "gpg2":
		return func(c *command) stream { gpg(c); return stream{} }
	case "getent":
		return func(c *command) stream {
			if c.any("shadow", "gshadow") {
				c.k.add("credentials", c.line(), "reads a file that holds credentials")
			}
			return stream{}
		}
	case "ssh-keygen":
		return func(c *command) stream {
			for _, f := range c.values("-f") {
				if !c.in.tty && c.secret(f.s) {
					c.k.add("overwrite", f.s, "answers a question before it is asked: a key may be overwritten")
				}
			}
			return stream{}
		}
	case "keepassxc-cli":
		return func(c *command) stream {
			if oneOf("show|export|attachment-export", c.arg(0)) {
				c.k.add("credentials", c.line(), "prints credentials")
			}
			return stream{}
		}
	case "unshadow", "mimipenguin", "secretsdump.py":
		return func(c *command) stream {
			c.k.add("credentials", c.line(), "extracts credentials")
			return stream{}
		}
	case "scp", "sftp":
		return func(c *command) stream {
			_, ops := c.split("cDFiJloPSX")
			for _, o := range ops {
				c.readsFile(o.s, "copies a file that holds credentials")
			}
			return stream{}
		}
	}
	return nil
}

// secretWords are the words by which a command prints credentials: all words of
// an entry, in this order, among the operands.
var secretWords = map[string][][]string{
	"gh":          {{"auth", "token"}},
	"glab":        {{"auth", "token"}},
	"gcloud":      {{"print-access-token"}, {"print-identity-token"}, {"secrets", "versions", "access"}, {"keys", "create"}},
	"aws":         {{"configure", "get", "aws_secret_access_key"}, {"configure", "export-credentials"}, {"get-session-token"}, {"get-login-password"}, {"get-secret-value"}, {"get-parameter", "--with-decryption"}, {"get-parameters", "--with-decryption"}, {"get-parameters-by-path", "--with-decryption"}, {"create-access-key"}, {"assume-role"}},
	"az":          {{"get-access-token"}, {"keyvault", "secret", "show"}},
	"security":    {{"find-generic-password"}, {"find-internet-password"}, {"dump-keychain"}, {"export"}},
	"secret-tool": {{"lookup"}, {"search"}},
	"pass":        {{"show"}},
	"gopass":      {{"show"}},
	"op":          {{"read"}, {"item", "get"}, {"get", "item"}},
	"vault":       {{"kv", "get"}, {"read"}, {"print", "token"}},
	"bw":          {{"get"}, {"export"}},
	"lpass":       {{"show"}, {"export"}},
	"doctl":       {{"auth", "token"}},
	"flyctl":      {{"auth", "token"}},
	"fly":         {{"auth", "token"}},
	"heroku":      {{"auth:token"}},
}

func printsSecret(c *command) stream {
	for _, words := range secretWords[c.name] {
		if c.inOrder(words...) && !c.any("--help", "-h") {
			if !c.captured {
				c.k.add("credentials", c.line(), "prints credentials")
			}
			return stream{taint: fromEnv}
		}
	}
	return stream{}
}

// inOrder reports whether the words stand among the arguments in this order.
func (c *command) inOrder(words ...string) bool {
	i := 0
	for _, a := range c.args {
		if i < len(words) && a.s == words[i] {
			i++
		}
	}
	return i == len(words)
}

// gpg judges the export of secret keys.
func gpg(c *command) {
	if opts, _ := c.split(""); opts.has("export-secret-keys", "export-secret-key", "export-secret-subkeys", "delete-secret-keys", "delete-secret-key", "delete-secret-and-public-key") {
		c.k.add("credentials", c.line(), "exports or deletes secret keys")
	}
}
