package danger

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTable checks the built-in rules: every line is well formed, every regular expression
// compiles, and every language that a role names can be read.
func TestTable(t *testing.T) {
	var b table
	if err := b.read(strings.NewReader(builtinRules)); err != nil {
		t.Fatal(err)
	}
	b.index()
	own := []Lang{Shell, SQL, Redis, Mongo, Python, Node, Ruby, Perl, "powershell"}
	for _, r := range b.rows {
		roles, regexps := []role{r.role, r.in.role}, []func() *regexp.Regexp{r.re}
		for _, e := range r.elems {
			roles, regexps = append(roles, e.cond.role), append(regexps, e.cond.re)
		}
		for _, re := range regexps {
			if re != nil {
				re() // panics if it does not compile
			}
		}
		for _, role := range roles {
			if role.lang != "" && !slices.Contains(own, role.lang) && len(b.texts[role.lang]) == 0 {
				t.Errorf("%v %v: no rule for the language %s", r.names, r.role.name, role.lang)
			}
		}
		if r.verb == deny && strings.HasPrefix(r.why, "is denied by") {
			t.Errorf("%v: no reason", r.names)
		}
		for _, n := range r.names {
			if l, ok := strings.CutPrefix(n, "@"); ok && len(b.lists[l]) == 0 {
				t.Errorf("no list %s", l)
			}
		}
	}
	if n := len(b.texts[Data]); n > 0 {
		t.Errorf("%d built-in rules are for whole lines, which only user rules may be", n)
	}
	t.Logf("%d rows", len(b.rows))
}

// TestUsersTable checks user rules that are more than regular expressions for whole lines.
// They take precedence over the built-in ones.
func TestUsersTable(t *testing.T) {
	c, err := New(strings.NewReader("deny deploy `deployctl push|promote --env=prod* !--canary` only people deploy\n" +
		"allow cleanup `rm -r|-R /^\\/scratch\\/\\w+$/ $`\n" +
		"does `runin -u: _ COMMAND`\n" +
		"does `archive -o:WRITE READ...`\n" +
		"list secret ~/vault/\n" +
		"reads /\\bzap\\(/ os.remove(\n" +
		"deny pick sql `delete customers` customers stay\n" +
		"deny archive place `WRITE|DELETE|TREE /^\\/archive\\//` nobody changes the archive\n" +
		"allow push `git push -f _ mine`\n"))
	if err != nil || users(c) != 8 {
		t.Fatalf("%d rules, %v", users(c), err)
	}
	for line, want := range map[string]string{
		"deployctl push --env=production":               "user:deploy",
		"ls && sudo deployctl --env prod promote":       "user:deploy",
		"deployctl push --env=prod --canary":            "",
		"deployctl push --env=test":                     "",
		"runin -u me box rm -rf /etc":                   "delete",
		"archive -o /etc/x a":                           "overwrite",
		"archive -o x ~/vault/key":                      "credentials",
		"cat ~/vault/key":                               "credentials",
		"cp a /archive/a":                               "user:archive",
		"sudo tee /archive/a < a":                       "user:archive",
		"echo a > /archive/a":                           "user:archive",
		"python -c 'open(\"/archive/a\", \"w\")'":       "user:archive",
		"cat /archive/a":                                "",
		"python -c 'zap(\"/etc/hosts\")'":               "delete",
		"psql -c 'delete from customers where id = 5'":  "user:pick",
		"git push -f origin mine":                       "",
		"git push -f origin other":                      "git",
		"make && git push -f origin mine; rm -rf /data": "delete",
	} {
		got := ""
		if f := c.CheckLine(Shell, line, here()); len(f) > 0 {
			got = f[0].Rule
		}
		if got != want {
			t.Errorf("%s: held by %q, want %q", line, got, want)
		}
	}
	for _, file := range []string{"deny x `git push > NOWHERE`", "does `rm THINGS-GONE`", "does x y `rm TREE`", "list x", "does awk /x/"} {
		if _, err := New(strings.NewReader(file)); err == nil {
			t.Errorf("%s: no error", file)
		}
	}
}

// TestTooLong checks texts beyond the limit. The text of a heredoc in which the shell
// expands nothing does not count. Other text is held, with the findings in its beginning
// and end.
func TestTooLong(t *testing.T) {
	var c Checker
	source := strings.Repeat("if (!seen[c.ID]) { reboot(); }\n", 8<<20/31)
	if got := c.CheckLine(Shell, "cat > x.go <<'EOF'\n"+source+"EOF\ngo build", here()); len(got) != 0 {
		t.Errorf("a long heredoc: %v", got)
	}
	if got := c.CheckLine(Shell, "base64 -d > x <<E\n"+strings.Repeat("QUJDRA==\n", 1<<20)+"E\n", here()); len(got) != 0 {
		t.Errorf("a long heredoc without expansions: %v", got)
	}
	for _, lang := range []Lang{Shell, SQL, Python} {
		got := c.CheckLine(lang, strings.Repeat("x\n", maxText/2)+"y\n", here())
		if len(got) != 1 || got[0].Rule != "unreadable" {
			t.Errorf("%s: %v", lang, got)
		}
	}
	for _, text := range []string{"rm -rf /etc\n" + strings.Repeat("ls\n", maxText/2), strings.Repeat("ls\n", maxText/2) + "rm -rf /etc\n"} {
		if got := c.CheckLine(Shell, text, here()); len(got) != 2 || got[1].Rule != "delete" {
			t.Errorf("%.10q: %v", text, got)
		}
	}
	if got := c.CheckLine(Data, source, here()); got != nil {
		t.Errorf("data: %v", got)
	}
}

// BenchmarkTable measures reading the built-in rules, which happens once, at first use.
func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		var t table
		if err := t.read(strings.NewReader(builtinRules)); err != nil {
			b.Fatal(err)
		}
		t.index()
	}
}

// BenchmarkLong measures checking 8 MB of commands, and a heredoc of 8 MB.
func BenchmarkLong(b *testing.B) {
	for name, text := range map[string]string{
		"commands": strings.Repeat("echo a\n", 8<<20/7), "heredoc": "cat > x <<'E'\n" + strings.Repeat("if (a) { b(); }\n", 8<<20/16) + "E\n",
	} {
		b.Run(name, func(b *testing.B) {
			var c Checker
			for b.Loop() {
				c.CheckLine(Shell, text, here())
			}
		})
	}
}
