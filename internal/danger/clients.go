package danger

import (
	"regexp"
	"strings"
)

// clientRule judges the clients of databases.
func clientRule(name string) func(*command) stream {
	switch name {
	case "psql", "mysql", "mariadb", "sqlite3", "sqlite", "duckdb", "clickhouse-client", "sqlcmd", "cockroach", "usql", "pgcli", "mycli", "litecli", "sqlplus", "cqlsh", "bq", "snowsql", "influx", "trino", "isql":
		return sqlClient
	case "dropdb", "dropuser":
		return func(c *command) stream {
			if opts, _ := c.split(""); !opts.has("help", "version", "i") {
				c.k.add("sql", c.line(), "deletes a database or a user")
			}
			return stream{}
		}
	case "mysqladmin", "mariadb-admin":
		return func(c *command) stream {
			if c.any("drop", "shutdown") {
				c.k.add("sql", c.line(), "deletes a database or stops its server")
			}
			return stream{}
		}
	case "redis-cli", "valkey-cli", "keydb-cli":
		return redisClient
	case "mongo", "mongosh":
		return mongoClient
	}
	return nil
}

// sqlClient reads the SQL that a client is given.
func sqlClient(c *command) stream {
	given := false
	for i, a := range c.args {
		flag := strings.TrimLeft(a.s, "-")
		switch {
		case i > 0 && sqlFlag(c.args[i-1].s), strings.HasPrefix(a.s, "--command="), strings.HasPrefix(a.s, "--execute="):
			_, text, ok := strings.Cut(a.s, "=")
			if !ok || !strings.HasPrefix(a.s, "--") {
				text = a.s
			}
			given = true
			c.k.inside(SQL, text)
		case strings.HasPrefix(a.s, "-") && len(flag) > 1 && (flag[0] == 'c' || flag[0] == 'e' || flag[0] == 'Q') && !strings.HasPrefix(a.s, "--"):
			c.k.inside(SQL, flag[1:])
		case !strings.HasPrefix(a.s, "-") && strings.ContainsAny(a.s, " ;.") && i > 0:
			// sqlite3 takes statements as operands.
			c.k.inside(SQL, a.s)
		}
		c.readsFile(a.s, "")
	}
	if !given && c.in.taint&fromNet != 0 {
		c.tainted(c.in.taint, "")
	}
	if !given && c.in.known && c.in.text != "" {
		c.k.inside(SQL, c.in.text)
	}
	return stream{}
}

// sqlFlag reports whether an option is followed by SQL.
func sqlFlag(a string) bool {
	if strings.HasPrefix(a, "--") {
		return contains([]string{"--command", "--execute", "--query", "--init-command", "--eval", "--cmd"}, a)
	}
	if len(a) < 2 || a[0] != '-' {
		return false
	}
	last := a[len(a)-1]
	return last == 'c' || last == 'e' || last == 'Q' || last == 'q'
}

func redisClient(c *command) stream {
	_, words := splitArgs(c.args, "hpsanuirdD", true, "user", "pass", "uri")
	line := make([]string, len(words))
	for i, w := range words {
		line[i] = w.s
	}
	if len(line) == 0 && c.in.known {
		for l := range strings.SplitSeq(c.in.text, "\n") {
			c.k.redis(strings.Fields(l))
		}
	}
	c.k.redis(line)
	return stream{}
}

func mongoClient(c *command) stream {
	for i, a := range c.args {
		if i > 0 && c.args[i-1].s == "--eval" {
			c.k.inside(Mongo, a.s)
		} else if text, ok := strings.CutPrefix(a.s, "--eval="); ok {
			c.k.inside(Mongo, text)
		}
	}
	if c.in.known {
		c.k.inside(Mongo, c.in.text)
	}
	return stream{}
}

// serverSettings are the settings of Redis by which it writes files or lets people in.
var serverSettings = map[string]bool{
	"dir": true, "dbfilename": true, "appendfilename": true, "requirepass": true, "protected-mode": true, "masterauth": true, "save": true, "slaveof": true, "replicaof": true, "rename-command": true, "appendonly": true,
}

// scriptCalls finds what a script of Redis calls that empties it.
var scriptCalls = regexp.MustCompile(`(?i)redis\.p?call\(\s*['"]?(flushall|flushdb|shutdown)`)

// redis judges one command of Redis.
func (k *check) redis(words []string) {
	for i, w := range words {
		words[i] = strings.Trim(w, `"'`)
	}
	if len(words) > 1 && isNumber(words[0]) {
		words = words[1:] // redis-cli repeats it so often
	}
	if len(words) == 0 {
		return
	}
	if m := scriptCalls.FindStringSubmatch(strings.Join(words, " ")); m != nil && strings.HasPrefix(strings.ToUpper(words[0]), "EVAL") {
		words = []string{m[1]}
	}
	switch strings.ToUpper(words[0]) {
	case "FLUSHALL", "FLUSHDB":
		k.add("sql", strings.Join(words, " "), "deletes all keys")
	case "SHUTDOWN":
		k.add("sql", strings.Join(words, " "), "stops the database server")
	case "CONFIG", "ACL", "MODULE", "DEBUG", "SCRIPT":
		second := ""
		if len(words) > 1 {
			second = strings.ToUpper(words[1])
		}
		first := strings.ToUpper(words[0])
		if second == "SET" && first == "CONFIG" && len(words) > 2 && serverSettings[strings.ToLower(words[2])] || contains([]string{"DELUSER", "SEGFAULT", "RELOAD"}, second) || second == "LOAD" && first == "MODULE" || second == "SETUSER" {
			k.add("sql", strings.Join(words, " "), "changes the database server itself")
		}
	}
}

// mongoCalls find what deletes without saying which.
var mongoCalls = regexp.MustCompile(`\.(?:dropDatabase|drop)\s*\(|\.(?:deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?\)|\.shutdownServer\s*\(|\.dropUser\s*\(|\.(?:runCommand|adminCommand)\s*\(\s*\{\s*(?:dropDatabase|shutdown|drop|dropAllUsersFromDatabase)\s*:|deletes\s*:\s*\[\s*\{\s*q\s*:\s*\{\s*\}|\.updateMany\s*\(\s*\{\s*\}\s*,`)

// mongo judges a line of the MongoDB shell.
func (k *check) mongo(text string) {
	bare := strings.Join(tokens(Node, text).plain(), "")
	if mongoCalls.MatchString(bare) {
		k.add("sql", text, "deletes a database, or all that is in a collection")
	}
	k.script(Node, text)
}
