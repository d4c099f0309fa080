package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		p    Policy
		says string
	}{
		{"nothing", Policy{}, ""},
		{"a link", Policy{Write: []string{link}}, ""},
		{"a path that is not there", Policy{Write: []string{dir + "/none"}}, `write "` + dir + `/none"`},
		{"what is hidden need not be there", Policy{Hide: []string{dir + "/none"}}, ""},
		{"a relative path", Policy{Read: []string{"here"}}, `read "here" is not an absolute path`},
		{"a backend", Policy{Backend: "docker"}, `backend "docker"; use landlock or bwrap`},
		{"a network", Policy{Network: "some"}, `network "some"`},
	} {
		p, err := tt.p.Check()
		if tt.says == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			} else if len(p.Write) > 0 && p.Write[0] == link {
				t.Errorf("%s: not resolved: %q", tt.name, p.Write)
			}
			continue
		}
		if !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v; want ErrPolicy saying %q", tt.name, err, tt.says)
		}
	}
}

func TestParseNetwork(t *testing.T) {
	for in, want := range map[string]string{
		"": "all", "all": "all", "none": "none", "private": "private", "443": "ports 443", "80,443": "ports 80 443",
		"ports": "error", "some": "error", "0": "error", "65536": "error", "all,80": "error", "80,none": "error",
	} {
		var words []string
		if in != "" {
			words = strings.Split(in, ",")
		}
		n, ports, err := ParseNetwork(words)
		got := string(n)
		for _, p := range ports {
			got += fmt.Sprint(" ", p)
		}
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %s, want %s (%v)", in, got, want, err)
		}
	}
}

func TestWorkDir(t *testing.T) {
	home, own := t.TempDir(), t.TempDir()
	home, own = resolved(t, home), resolved(t, own)
	t.Setenv("HOME", home)
	p := Policy{Protect: []string{filepath.Join(own, "socket")}, Hide: []string{filepath.Join(home, "work/log")}, Write: []string{"/var/lib/app"}}
	for dir, may := range map[string]bool{
		home: false, filepath.Dir(home): false, "/": false, "/etc": false, "/usr/local/bin": false, "/var": false,
		filepath.Join(home, ".ssh"): false, filepath.Join(home, ".config/x"): false,
		filepath.Join(home, "project"): true, filepath.Join(home, "project/.git"): true, "/srv/www": true,
		own: false, filepath.Join(own, "other"): true, filepath.Join(own, "socket"): false,
		filepath.Join(home, "work"): false, filepath.Join(home, "work/log/x"): false, filepath.Join(home, "work/src"): true,
		"/var/lib/app/x": true, "/var/lib/other": false,
	} {
		if why := p.WhyNotWritable(dir); (why == "") != may {
			t.Errorf("%s: %q, want writable %v", dir, why, may)
		}
	}
}

// resolved returns path with its symbolic links resolved.
func resolved(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func TestMissing(t *testing.T) {
	full := Support{Landlock: 7, Seccomp: true, Bwrap: "/usr/bin/bwrap", Networks: true}
	with := func(change func(*Support)) Support { s := full; change(&s); return s }
	for _, tt := range []struct {
		name string
		s    Support
		p    Policy
		says string // part of what is missing, "" for nothing
	}{
		{"all there", full, Policy{Network: NetworkPrivate, Limits: Limits{Processes: 9}}, ""},
		{"no Landlock", with(func(s *Support) { s.Landlock = 0 }), Policy{}, "files: this kernel has no Landlock"},
		{"an old one", with(func(s *Support) { s.Landlock = 2 }), Policy{}, "emptying files"},
		{"one without scopes", with(func(s *Support) { s.Landlock = 5 }), Policy{}, "signals to other programs"},
		{"one without ports, not asked for", with(func(s *Support) { s.Landlock = 3 }), Policy{Backend: Bwrap}, ""},
		{"one without ports", with(func(s *Support) { s.Landlock = 3 }), Policy{Backend: Bwrap, Network: NetworkPorts}, "network ports"},
		{"no seccomp", with(func(s *Support) { s.Seccomp = false }), Policy{}, "kinds of sockets"},
		{"no networks", with(func(s *Support) { s.Networks = false }), Policy{Network: NetworkPrivate}, "network private"},
		{"no networks, none needed", with(func(s *Support) { s.Networks = false }), Policy{Network: NetworkNone}, ""},
		{"root", with(func(s *Support) { s.Root = true }), Policy{Limits: Limits{Processes: 9}}, "the number of processes"},
		{"an own file that may be written", full, Policy{Write: []string{"/w"}, Protect: []string{"/w/own"}}, "the protection of /w/own, which lies inside /w"},
		{"the same with bwrap", full, Policy{Backend: Bwrap, Write: []string{"/w"}, Protect: []string{"/w/own"}}, ""},
		{"deeper, with bwrap", full, Policy{Backend: Bwrap, Write: []string{"/w"}, Protect: []string{"/w/d/own"}}, "the protection of /w/d/own, which lies inside /w"},
		{"another system", Support{System: noBox}, Policy{}, noBox},
	} {
		got := strings.Join(tt.s.Missing(tt.p), "; ")
		if !strings.Contains(got, tt.says) || (tt.says == "") != (got == "") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.says)
		}
		_, err := tt.s.Check(tt.p)
		strict := tt.p
		strict.Strict = true
		_, strictErr := tt.s.Check(strict)
		if (err != nil) != (tt.s.System != "") || (strictErr == nil) != (tt.says == "") {
			t.Errorf("%s: %v; strict: %v", tt.name, err, strictErr)
		}
	}
	if _, err := (Support{Seccomp: true}).Check(Policy{Backend: Bwrap}); !errors.Is(err, ErrEnforce) {
		t.Errorf("bwrap on a system without it: %v", err)
	}
}

// noBox is the reason why a system has no sandbox.
const noBox = "there is no box here"

func TestScrub(t *testing.T) {
	env := []string{
		"PATH=/bin", "HOME=/home/x", "LANG=C.UTF-8", "PWD=/", "OLDPWD=/", "SHELL=/bin/sh", "EDITOR=vi", "SSL_CERT_FILE=/etc/x",
		"AWS_REGION=eu", "KEYBOARD=us", "TOKENIZERS_PARALLELISM=false", "PASSENGERS=3", "PROXY=http://proxy:3128",
		"GLASSTTY_SESSION=s1", "MONKEY=1", "COMPASS=n", "URL=https://user@host/",
	}
	secrets := []string{
		"GITHUB_TOKEN=x", "gh_token=x", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x", "AWS_SESSION_TOKEN=x", "OPENAI_API_KEY=x",
		"DB_PASSWORD=x", "PGPASSWORD=x", "MYSQL_PWD=x", "CLIENT_SECRET=x", "NPM_CONFIG__AUTH=x", "SSH_AUTH_SOCK=/x",
		"GLASSTTY_TOKEN=x", "DATABASE_URL=postgres://u:p@h/db", "HTTPS_PROXY=http://u:p@proxy:3128", "SIGNING_KEY=x",
		"GOOGLE_APPLICATION_CREDENTIALS=/x", "DBUS_SESSION_BUS_ADDRESS=unix:path=/x", "SLACK_BOT_TOKEN=x", "SENTRY_DSN=x",
	}
	rest, withheld := Scrub(append(slices.Clone(env), secrets...), nil)
	if !slices.Equal(rest, env) {
		t.Errorf("rest %q, want %q", rest, env)
	}
	if len(withheld) != len(secrets) {
		t.Errorf("withheld %q, want the names of %q", withheld, secrets)
	}
	rest, withheld = Scrub(secrets[:5], []string{"AWS_*", "GITHUB_TOKEN"})
	if len(rest) != 4 || !slices.Equal(withheld, []string{"gh_token"}) {
		t.Errorf("with exceptions: rest %q, withheld %q", rest, withheld)
	}
	if CheckNames([]string{"A_*"}) != nil || CheckNames([]string{"[x"}) == nil {
		t.Error("CheckNames")
	}
}
