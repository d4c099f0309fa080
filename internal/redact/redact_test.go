package redact

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// Secrets are written in two parts, so that scanners do not take them for real ones.
var secrets = []struct{ name, text, secret string }{
	{"github", "remote: https://x-access-token:%s@github.com/a/b", "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"},
	{"github in quotes", `{"token": "%s"}`, "gho_" + "16C7e42F292c6912E7710c838347Ae178B4a"},
	{"github, all the same", "%s", "ghp_" + strings.Repeat("a", 36)},
	{"aws id", "aws_access_key_id = %s", "AKIA" + "IOSFODNN7EXAMPLE"},
	{"aws id with other digits", "id %s.", "AKIA" + "1234567890ABCDEF"},
	{"aws key", "aws_secret_access_key = %s", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"},
	{"aws key in the environment", "AWS_SECRET_ACCESS_KEY=%s", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzzzzzzzKEY"},
	{"anthropic", "ANTHROPIC_API_KEY=%s", "sk-ant-" + "api03-abcDEF123456-ghiJKL7890_mno"},
	{"openai", "key is %s today", "sk-" + "proj-abcdefghijklmnopqrst1234567890"},
	{"slack", "%s", "xoxb-" + "123456789012-1234567890123-abcdEFGH1234"},
	{"stripe", "stripe: %s", "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc"},
	{"google", "%s", "AIza" + "SyDdI0hCZtE6vySjMm-WEfRq3CPzqKqqsHI"},
	{"gitlab", "%s", "glpat-" + "x9y8z7w6v5u4t3s2r1q0"},
	{"npm", "//npm.example/:_authToken=%s", "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789"},
	{"jwt", "Cookie: session=%s", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"},
	{"bearer", "Authorization: Bearer %s", "abcDEF123456ghiJKL7890"},
	{"password in a URL", "postgres://app:%s@db:5432/x", "s3cr3tPassw0rd"},
	{"password assigned", "DB_PASSWORD=%s", "hunter2hunter2"},
	{"password in YAML", "  password: '%s'", "correct-horse-9"},
	{"curl", "curl -s -u user:%s https://x/", "passw0rd-long"},
	{"a flag", "mysql --password=%s -h db", "hunter2hunter2"},
	{"an upper case one", "TELEGRAM_TOKEN: %s\n", "123456789:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4"},
	{"twilio", "%s", "SK" + "0123456789abcdef0123456789abcdef"},
	{"digitalocean", "%s", "dop_v1_" + strings.Repeat("0123456789abcdef", 4)},
	{"vault", "%s", "hvs." + strings.Repeat("CAESIJ3x9", 11)},
}

// masked returns text with each character of a secret replaced by an asterisk, except line
// ends.
func masked(r *Redactor, text string) string {
	return Replace(text, r.Spans(text), func(part string) string {
		return strings.Map(func(c rune) rune {
			if c == '\n' || c == '\r' {
				return c
			}
			return '*'
		}, part)
	})
}

func TestSecrets(t *testing.T) {
	r := New()
	for _, tt := range secrets {
		text := "before\n" + strings.Replace(tt.text, "%s", tt.secret, 1) + "\nafter\n"
		got := masked(r, text)
		if strings.Contains(got, tt.secret[len(tt.secret)/2:]) || strings.Contains(got, tt.secret[:len(tt.secret)/2]) {
			t.Errorf("%s: a part of the secret in %q is left in %q", tt.name, text, got)
		}
		if !strings.HasPrefix(got, "before\n") || !strings.HasSuffix(got, "\nafter\n") || len(got) != len(text) {
			t.Errorf("%s: %q became %q", tt.name, text, got)
		}
	}
}

// key returns a private key in PEM format with n lines.
func key(n int) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + "RSA PRIVATE KEY-----\n")
	rnd := rand.New(rand.NewPCG(1, 2))
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for range n {
		for range 64 {
			b.WriteByte(digits[rnd.IntN(64)])
		}
		b.WriteByte('\n')
	}
	b.WriteString("-----END " + "RSA PRIVATE KEY-----")
	return b.String()
}

func TestKeyMaterial(t *testing.T) {
	r := New()
	whole := key(25)
	lines := strings.Split(whole, "\n")
	for _, tt := range []struct{ name, text string }{
		{"whole", whole},
		{"begun", strings.Join(lines[:10], "\n")},
		{"ended", strings.Join(lines[10:], "\n")},
		{"begun and cut", strings.Join(lines[:10], "\n")[:400]},
		{"a string of JSON", `"private_key": "` + strings.ReplaceAll(whole, "\n", `\n`) + `\n",`},
		{"one that has begun", `"private_key": "` + strings.Join(lines[:10], `\n`)},
		{"one that has ended", strings.Join(lines[10:], `\r\n`) + `\n",`},
	} {
		got := masked(r, "$ cat id_rsa\n"+tt.text+"\n")
		for _, l := range lines[1:26] {
			if strings.Contains(got, l[:12]) || strings.Contains(got, l[50:]) {
				t.Errorf("%s: %q is left", tt.name, l)
				break
			}
		}
		if !strings.HasPrefix(got, "$ cat id_rsa\n") {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

func TestOrdinaryText(t *testing.T) {
	r := New()
	for _, text := range []string{
		"",
		"the key to success: hard work and authentication",
		"Password: ",
		"Enter password for user root:",
		"commit 9e1ee99bbd1e2c1b3e6ab2c1d9e1ee99bbd1e2c1",
		"token: invalid",
		"keyboard=interactive",
		"https://github.com/glasstty/glasstty/security/advisories/new",
		"scp host:/var/log/syslog user@host:/tmp",
		"-rw-r--r-- 1 root root 1679 Nov 21 17:01 id_rsa",
		"-----BEGIN " + "CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUb\n-----END " + "CERTIFICATE-----",
		"PASS: TestTokens (0.00s)",
		"drwx------ 2 root root 4096 secret",
		"max_tokens: 4096, api_version = v1",
		"2026-01-02T03:04:05Z INFO authenticated user=alice access=granted",
		"for k in keys: print(k)",
		"sk-learn is a library; task-runner too",
	} {
		if got := masked(r, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestLearn(t *testing.T) {
	r := New()
	r.Learn("hunter2")
	r.Learn("abc")
	r.Learn(strings.Repeat("x", MaxSecret+1))
	if got, want := masked(r, "a hunter2 hunter2hunter2 abc "+strings.Repeat("x", MaxSecret+1)[:10]), "a ******* ************** abc xxxxxxxxxx"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range MaxSecrets {
		r.Learn("secret number " + strings.Repeat("i", i))
	}
	if got := masked(r, "hunter2"); got != "hunter2" {
		t.Errorf("the oldest of more than %d secrets is still hidden: %q", MaxSecrets, got)
	}
	if n := len(r.secrets()); n != MaxSecrets {
		t.Errorf("%d secrets are kept, want %d", n, MaxSecrets)
	}
	var off *Redactor
	off.Learn("secret")
	if masked(off, "secret") != "secret" || off.IncompleteFrom("ghp_1") != 5 {
		t.Error("a nil Redactor finds something")
	}
}

// TestIncompleteFrom checks that the beginning of a secret at the end of a text is found, wherever
// the secret is cut.
func TestIncompleteFrom(t *testing.T) {
	r := New()
	r.Learn("correct horse battery")
	for _, tt := range secrets {
		text := "before\n" + strings.Replace(tt.text, "%s", tt.secret, 1)
		at := strings.Index(text, tt.secret)
		for n := len(tt.secret) / 2; n < len(tt.secret); n++ {
			cut := text[:at+n]
			from := r.IncompleteFrom(cut)
			for _, s := range r.Spans(cut) {
				if s.To == len(cut) {
					from = min(from, s.From)
				}
			}
			if from > at+7 {
				t.Errorf("%s: the secret in %q begins at %d, want %d", tt.name, cut, from, at)
				break
			}
		}
	}
	for _, tt := range []struct {
		text string
		want int
	}{
		{"say correct horse", 4},
		{"say correct horse battery", 25},
		{"$ ", 2},
		{"password: ", 10},
		{"token: 12", 9},
		{"nothing to see", 14},
		{"ghp_", 4},
		{"ghp_ and more text g", 20},
	} {
		if got := r.IncompleteFrom(tt.text); got != tt.want {
			t.Errorf("IncompleteFrom(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

// TestRulesCompile checks that all rules compile. They are compiled when their keyword is
// first seen, so an invalid rule in a newer rule file could break a session weeks later.
func TestRulesCompile(t *testing.T) {
	set := newRuleSet()
	if len(set.Rules) < 200 {
		t.Errorf("%d rules, want at least 200", len(set.Rules))
	}
	sources := map[string][]string{"of all": set.Allow.Regexes}
	for _, r := range set.Rules {
		sources[r.ID] = append(sources[r.ID], r.Source, r.Open)
		for i := range r.Allow {
			sources[r.ID] = append(sources[r.ID], r.Allow[i].Regexes...)
		}
	}
	for id, sources := range sources {
		for _, source := range sources {
			if _, err := regexp.Compile(source); err != nil {
				t.Errorf("rule %s: %v", id, err)
			}
		}
	}
}

// TestLinear checks that the time is linear: ten times the text takes nowhere near a
// hundred times as long, whatever the text. The fastest of three runs counts, because the
// machine may be busy.
func TestLinear(t *testing.T) {
	need.Long(t)
	r := New()
	r.Learn("hunter2")
	for _, unit := range []string{"key=", "password = ", "sk", "ey", "-----BEGIN ", "A", "s.", "ghp_a", "curl ", "hunter", "x ", "https://a:", "secret: data: ", "telegr"} {
		took := func(n int) time.Duration {
			text := strings.Repeat(unit, n/len(unit))
			fastest := time.Hour
			for range 3 {
				begin := time.Now()
				r.Spans(text)
				r.IncompleteFrom(text)
				fastest = min(fastest, time.Since(begin))
			}
			return fastest
		}
		small, large := took(20<<10), took(200<<10)
		t.Logf("%-16q %v %v", unit, small, large)
		if large > 60*small+300*time.Millisecond {
			t.Errorf("%q: 20 KB take %v, 200 KB %v", unit, small, large)
		}
	}
}

func FuzzSpans(f *testing.F) {
	for _, tt := range secrets {
		f.Add(strings.Replace(tt.text, "%s", tt.secret, 1))
	}
	f.Add(key(3))
	r := New()
	r.Learn("hunter2")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, s := range r.Spans(text) {
			if s.From < last || s.To <= s.From || s.To > len(text) {
				t.Fatalf("span %v of %q after %d", s, text, last)
			}
			last = s.To
		}
		if at := r.IncompleteFrom(text); at < 0 || at > len(text) {
			t.Fatalf("IncompleteFrom(%q) = %d", text, at)
		}
		if strings.Contains(masked(r, text), "hunter2") {
			t.Fatalf("a learned secret is left in %q", masked(r, text))
		}
	})
}
