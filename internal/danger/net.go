package danger

import (
	"path"
	"strings"
)

// netRule judges what downloads, uploads and connects.
func netRule(name string) func(*command) stream {
	switch name {
	case "curl", "curlie", "wget", "wget2", "http", "https", "xh", "fetch", "lynx", "links", "w3m", "aria2c", "axel", "httpie", "iwr", "irm", "Invoke-WebRequest", "Invoke-RestMethod":
		return download
	case "dig", "nslookup", "host", "drill", "kdig", "delv", "tftp", "whois", "finger":
		return func(*command) stream { return stream{taint: fromNet} }
	case "nc", "ncat", "netcat", "socat", "telnet":
		return connect
	case "mkfifo":
		return func(*command) stream { return stream{known: true} }
	}
	return nil
}

func download(c *command) stream {
	opts, ops := c.split("oOdFTXHuAebmTwx", "output", "output-document", "data", "data-binary", "form", "upload-file", "request", "header", "user", "url")
	c.sends()
	c.deletesByRequest(opts)
	for _, o := range ops {
		if strings.Contains(o.s, "169.254.169.254") || strings.Contains(o.s, "metadata.google.internal") {
			c.k.add("credentials", o.s, "reads the cloud's metadata, which hands out credentials")
		}
	}
	out := stream{taint: fromNet}
	to := ""
	switch c.name {
	case "curl":
		// -O takes no value in curl: split took the next word for one.
		if to = opts["o"] + opts["output"]; to == "" && (opts.has("O", "remote-name") || strings.Contains(joined(c.args), "O ")) {
			to = remoteName(c)
		}
	case "wget":
		if to = opts["O"] + opts["output-document"]; to == "-" {
			to = ""
		} else if to == "" && !opts.has("spider") {
			to = remoteName(c)
		}
	case "aria2c", "axel":
		to = opts["o"]
	}
	if to == "" || to == "-" || to == "/dev/stdout" {
		return out
	}
	c.fetched[path.Clean(to)] = true
	if !opts.has("O") || c.name == "wget" {
		c.writes(to, false)
	}
	return stream{known: true}
}

// remoteName is the file name that a download takes from its address.
func remoteName(c *command) string {
	for _, a := range c.args {
		if strings.Contains(a.s, "/") && !strings.HasPrefix(a.s, "-") {
			addr, _, _ := strings.Cut(a.s, "?")
			return path.Base(addr)
		}
	}
	return ""
}

// downloaded reports whether the line has downloaded the file at p.
func (s *shell) downloaded(p string) bool {
	return s.fetched[path.Clean(p)] || s.fetched[unpackedHere] && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "-")
}

// upload judges credentials that are piped into a program that sends them away.
func (s *shell) upload(c *command) {
	switch c.name {
	case "curl", "wget", "nc", "ncat", "netcat", "socat", "http", "https", "xh", "ssh", "mail", "mailx", "mutt", "sendmail", "telnet", "ftp", "wormhole", "croc", "gist", "pastebinit", "slack", "aws", "gsutil", "rclone":
		if c.in.taint&(fromEnv|fromOwn) != 0 {
			s.k.add("credentials", c.line(), "sends the environment or credentials away")
		}
	}
}

// sends judges the files that a transfer sends away.
func (c *command) sends() {
	for i, a := range c.args {
		p := ""
		if i > 0 && contains([]string{"-d", "--data", "--data-binary", "--data-raw", "--data-urlencode", "-F", "--form", "-T", "--upload-file", "--post-file", "--body-file", "-K", "--config"}, c.args[i-1].s) {
			p = a.s
		}
		for _, long := range []string{"--data=", "--data-binary=", "--form=", "--upload-file=", "--post-file=", "--body-file="} {
			if v, ok := strings.CutPrefix(a.s, long); ok {
				p = v
			}
		}
		sent := i > 0 && (c.args[i-1].s == "-T" || strings.HasSuffix(c.args[i-1].s, "-file")) || strings.Contains(a.s, "-file=")
		if at := strings.IndexByte(p, '@'); at >= 0 {
			p, sent = p[at+1:], true
		} else if at := strings.IndexByte(p, '<'); at >= 0 {
			p, sent = p[at+1:], true
		}
		p, _, _ = strings.Cut(p, ";")
		if !sent || p == "" || p == "-" {
			continue
		}
		name := path.Base(p)
		sp := c.spot(p)
		if c.secret(p) || sp.kind == atSystem || name == ".env" || strings.HasPrefix(name, ".env.") && name != ".env.example" {
			c.k.add("credentials", p, "sends a file away that holds credentials or belongs to the system")
		}
	}
	for _, a := range c.args {
		if strings.HasPrefix(a.s, "file://") {
			c.readsFile(a.s, "")
		}
	}
}

// connect judges netcat and its like: a shell at the other end of a connection.
func connect(c *command) stream {
	opts, ops := c.split("")
	if opts.has("e", "c", "exec", "sh-exec") || c.in.taint&fromShell != 0 {
		c.k.add("remote", c.line(), "gives a shell to another machine")
	}
	for _, o := range ops {
		up := strings.ToUpper(o.s)
		if strings.HasPrefix(up, "EXEC:") || strings.HasPrefix(up, "SYSTEM:") {
			_, cmd, _ := strings.Cut(o.s, ":")
			cmd, _, _ = strings.Cut(cmd, ",")
			if shells[base(cmd)] {
				c.k.add("remote", c.line(), "gives a shell to another machine")
			}
			c.k.inside(Shell, cmd)
		}
	}
	for _, a := range c.args {
		for _, kind := range []string{"open:", "create:", "file:", "gopen:"} {
			if to, ok := strings.CutPrefix(strings.ToLower(a.s), kind); ok {
				to, _, _ = strings.Cut(to, ",")
				c.writes(to, false)
				c.readsFile(to, "")
			}
		}
		if shells[base(a.s)] && strings.HasPrefix(a.s, "/") {
			c.k.add("remote", c.line(), "gives a shell to another machine")
		}
	}
	return stream{taint: fromNet}
}

// deletesByRequest judges a request that deletes: all of an index, a bucket or a
// database of a server that obeys whoever asks.
func (c *command) deletesByRequest(opts options) {
	method := opts["X"] + opts["request"] + opts["method"]
	for _, a := range c.args {
		if strings.EqualFold(a.s, "DELETE") && c.name != "curl" && c.name != "wget" {
			method = "DELETE"
		}
		addr, isAddr := a.s, strings.Contains(a.s, "://") || strings.Contains(a.s, ":9200") || strings.Contains(a.s, ":8500")
		if i := strings.Index(addr, "://"); i >= 0 {
			addr = addr[i+3:]
		}
		_, where, _ := strings.Cut(addr, "/")
		where, _, _ = strings.Cut(where, "?")
		last := path.Base(where)
		if isAddr && strings.EqualFold(method, "DELETE") && (strings.ContainsAny(where, "*") || last == "_all" || strings.Contains(a.s, "recurse") || strings.Contains(a.s, ":9200/") && !strings.Contains(where, "/_doc/") || strings.HasSuffix(where, "_delete_by_query")) {
			c.k.add("sql", c.line(), "deletes all that a server keeps")
		}
		if isAddr && strings.HasSuffix(where, "/_delete_by_query") && strings.Contains(joined(c.args), "match_all") {
			c.k.add("sql", c.line(), "deletes all that a server keeps")
		}
	}
}
