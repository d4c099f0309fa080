package fleet

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// wants checks an error. want is a part of its text, or "" for no error.
func wants(t *testing.T, what string, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || !strings.Contains(fmt.Sprint(err), want) && want != "" {
		t.Errorf("%.80q: %v; want %q", what, err, want)
	}
}

// TestBadSelectors checks which host selectors are valid.
func TestBadSelectors(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "build7": "", "build*": "", "build[0-9]": "", "b?": "", "gpu=a100": "", "os=linux, arch=arm*": "", "gpu=a=b": "",
		strings.Repeat("a", maxSelector): "",
		"gpu=":                           "examples", "=a100": "examples", "gpu=a100,": "examples", "gpu=a100,gpu=h100": "each label once",
		"a,b": "examples", "a b": "examples", "a/b": "examples", "[": "examples", "gpu=[": "examples", "a\x1b": "examples",
		strings.Repeat("a", maxSelector+1): "the maximum is 1024",
	} {
		wants(t, text, CheckHost(text), want)
	}
}

// TestNames checks which names of nodes are valid.
func TestNames(t *testing.T) {
	const bad = "but not - at the start"
	for text, want := range map[string]string{
		"build-7": "", "_a": "", "7": "", DefaultName("-x.example.com"): "", "": bad, "-x": bad, "--": bad, "_": "or _ alone", "a.b": bad,
	} {
		wants(t, text, CheckName(text), want)
	}
}

// TestBadLabels checks which labels are valid.
func TestBadLabels(t *testing.T) {
	many := []string{}
	for i := range maxLabels + 1 {
		many = append(many, fmt.Sprintf("l%d=x", i))
	}
	for _, tt := range []struct {
		labels []string
		want   string
	}{
		{many[:maxLabels], ""},
		{[]string{"gpu=" + strings.Repeat("a", maxLabel-4)}, ""},
		{many, "33 labels"},
		{[]string{"gpu=" + strings.Repeat("a", maxLabel-3)}, "has 129 bytes"},
		{[]string{"gpu"}, "gpu=a100"},
		{[]string{"gpu="}, "gpu=a100"},
		{[]string{"gpu=a*"}, "wildcards"},
		{[]string{"gpu=\x1b[31m"}, "invalid label"},
		{[]string{"gpu=a", "gpu=b"}, "set twice"},
		{[]string{"os=plan9"}, "set by the node itself"},
	} {
		_, err := ParseLabels(tt.labels)
		wants(t, fmt.Sprint(tt.labels), err, tt.want)
	}
}

// TestBadServers checks which addresses of NATS servers are valid.
func TestBadServers(t *testing.T) {
	const form = "want nats://host:4222"
	for url, want := range map[string]string{
		"nats://127.0.0.1": "", "tls://localhost:4222/": "", "nats://127.0.0.1:1,nats://[::1]:2": "", "ws://127.0.0.1/nats": "",
		"": form, "127.0.0.1:4222": form, "http://127.0.0.1": form, "nats://": form, "nats://:4222": form, "nats://127.0.0.1:0": form,
		"nats://127.0.0.1:65536": form, "nats://127.0.0.1,": form, "nats://127.0.0.1/path": form, "nats://127.0.0.1 nats://[::1]": form,
		"nats://a:b@127.0.0.1": "every user of this machine can see", "nats://192.0.2.1": "--fleet-creds",
	} {
		wants(t, url, Options{URL: url, Name: "one"}.check(), want)
	}
}

// TestBadHosts checks which hosts a certificate can be for, and that Make rejects bad
// members without leaving files.
func TestBadHosts(t *testing.T) {
	for host, want := range map[string]string{
		"nats.example.com": "", "nats": "", "my_host": "", "192.0.2.7": "", "2001:db8::7": "",
		"": "invalid host", "nats:4222": "nats.conf has the port", "tls://nats": "invalid host", "[::1]": "invalid host", "a/b": "invalid host",
		"*.example.com": "invalid host", strings.Repeat("a", maxHost+1): "invalid host",
	} {
		wants(t, host, Setup{Dir: t.TempDir(), Hosts: []string{host}}.CheckHosts(), want)
	}
	s := Setup{Dir: t.TempDir(), Hosts: []string{"nats.example.com", "192.0.2.7"}}
	wants(t, "no members", s.Make(nil, nil), "lets everybody in")
	if made, err := os.ReadDir(s.Dir); err != nil || len(made) > 0 {
		t.Errorf("files made without members: %v, %v", made, err)
	}
	wants(t, "a bad name", s.Make([]string{"one", "a/b"}, nil), `"a/b"`)
	wants(t, "a member", s.Make([]string{"one"}, nil), "")
	s.Hosts = s.Hosts[1:]
	wants(t, "a host of the certificate", s.CheckHosts(), "")
	s.Hosts = []string{"desk"}
	wants(t, "another host", s.CheckHosts(), `is for nats.example.com, 192.0.2.7, not for host "desk"`)
}
