package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestInit checks that glasstty fleet init creates a fleet with TLS and credentials: a NATS
// server accepts the configuration, and members can join.
func TestInit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := func(words ...string) string {
		t.Helper()
		out, err := command(append([]string{"fleet", "init", dir}, words...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if out, err := command("fleet", "init", "--node", "one", dir).CombinedOutput(); err == nil || !strings.Contains(string(out), "--host") {
		t.Errorf("without a host: %v: %s", err, out)
	}
	for flag, want := range map[string]string{"127.0.0.1:4222": "nats.conf has the port", "127.0.0.1": "lets everybody in"} {
		if out, err := command("fleet", "init", "--host", flag, t.TempDir()).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("--host %s: %v: %s; want %q", flag, err, out, want)
		}
	}
	const join = "glasstty serve --fleet tls://127.0.0.1:4222 --fleet-creds "
	nodes := join + "one.node --node one    # after copying one.node there\n" + join + "gate.gateway --node gate --gateway    # after copying gate.gateway there\n"
	if out := made("--host", "127.0.0.1", "--gateway", "gate", "--node", "one"); !strings.HasPrefix(out, "nats-server -c") || !strings.HasSuffix(out, "\n"+nodes) {
		t.Errorf("init prints %s", out)
	}
	seed, err := os.ReadFile(filepath.Join(dir, "one.node"))
	if err != nil {
		t.Fatal(err)
	}
	made("--node", "one,two")
	if again, err := os.ReadFile(filepath.Join(dir, "one.node")); err != nil || string(again) != string(seed) {
		t.Errorf("the credentials of a member changed: %v", err)
	}
	o, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	o.Port = server.RANDOM_PORT
	url := strings.Replace(startNATS(t, *o).ClientURL(), "nats://", "tls://", 1)
	creds := func(file string) []string { return []string{"--fleet-creds", filepath.Join(dir, file)} }
	one := startNode(t, url, "one", append(creds("one.node"), "--log-level", "debug")...) // before there is a gateway
	one.await("the message about the missing bucket", func() bool { return strings.Contains(one.said(), "no gateway has created the bucket") })
	gate := startNode(t, url, "gate", append(creds("gate.gateway"), "--gateway")...)
	startNode(t, url, "two", creds("two.node")...)
	gate.await("the node", func() bool {
		_, _, err := gate.invoke(t.Context(), "start_process", args{"command": "cat", "host": "two"})
		return err == nil
	})
	evil := begin(t, t.TempDir(), url, "two2", creds("one.node")...) // with the credentials of another node
	evil.connect()
	gate.fails("start_process", args{"command": "cat", "host": "two2"}, "no such host")
	evil.await("one word about the name", func() bool { return strings.Contains(evil.said(), "use the name two2") })
	evil.end(syscall.SIGTERM)
	if said := evil.said(); strings.Count(said, "level=") != 1 {
		t.Errorf("a node with the credentials of another node logs\n%s", said)
	}
	wrong := begin(t, t.TempDir(), url, "one2", append(creds("one.node"), "--gateway")...)
	wrong.connect()
	wrong.await("one word about the name", func() bool { return strings.Contains(wrong.said(), "use the name one2") })
	wrong.end(syscall.SIGTERM)
	if said := wrong.said(); strings.Count(said, "level=") != 1 {
		t.Errorf("a gateway with the credentials of a node logs\n%s", said)
	}
	refused := func(words ...string) string {
		t.Helper()
		out, err := command(append([]string{"fleet"}, words...)...).CombinedOutput()
		if err == nil {
			t.Errorf("%v prints %s", words, out)
		}
		return string(out)
	}
	for _, c := range []struct{ file, name, want string }{{"gate.gateway", "vm", "use the name vm"}, {"one.node", "one", "gateway's credentials"}} {
		for _, words := range [][]string{{"list"}, {"drain", "two"}} {
			words = append(words, "--fleet", url, "--fleet-creds", filepath.Join(dir, c.file), "--node", c.name)
			if said := refused(words...); !strings.Contains(said, c.want) || !strings.Contains(said, c.file) {
				t.Errorf("%v logs %s", words, said)
			}
		}
	}
	one.await("the record of a node that came first", func() bool {
		out, err := command("fleet", "--fleet", url, "--fleet-creds", filepath.Join(dir, "gate.gateway"), "--node", "gate").Output()
		return err == nil && strings.Contains(string(out), "one ")
	})
	if said := one.said(); strings.Contains(said, "level=WARN") || strings.Contains(said, "level=ERROR") {
		t.Errorf("a node that joined before the gateway logs\n%s", said)
	}
}

// TestNothingRefused checks that members attempt nothing that their rights forbid: a node joins
// before there is a gateway, ships everything it can, and rejoins when NATS is back. If the name
// of the credentials file does not say that they are a node's, the node attempts one forbidden
// subscription per connection.
func TestNothingRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := command("fleet", "init", dir, "--host", "127.0.0.1", "--node", "one,two", "--gateway", "gate").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	o.Port, o.LogFile = server.RANDOM_PORT, filepath.Join(dir, "log")
	nats1 := startNATS(t, *o)
	o.Port = portOf(nats1)
	url := strings.Replace(nats1.ClientURL(), "nats://", "tls://", 1)
	if err := os.Rename(filepath.Join(dir, "two.node"), filepath.Join(dir, "seed")); err != nil {
		t.Fatal(err)
	}
	flags := func(name, file string) []string {
		return []string{"--fleet-creds", filepath.Join(dir, file), recording, "--audit-log", filepath.Join(dir, name+".audit"), "--log-level", "debug"}
	}
	one := startNode(t, url, "one", flags("one", "one.node")...)
	two := startNode(t, url, "two", flags("two", "seed")...)
	for _, p := range []*process{one, two} {
		p.start("")
		p.await("the warnings", func() bool {
			return strings.Contains(p.said(), "recordings are not shipped") && strings.Contains(p.said(), "audit records are not shipped")
		})
	}
	gate := startNode(t, url, "gate", append(flags("gate", "gate.gateway"), "--gateway")...)
	shipped := func(times int) {
		t.Helper()
		for _, p := range []*process{one, two} {
			p.await("the messages about shipping", func() bool {
				return strings.Count(p.said(), "recordings are shipped again") == times && strings.Count(p.said(), "audit records are shipped again") == times
			})
		}
	}
	shipped(1)
	nats1.Shutdown()
	nats1.WaitForShutdown()
	for _, p := range []*process{one, two} {
		p.call("send_and_read", args{"session_id": "s1", "text": "echo x", "press_enter": true})
		p.await("the warnings again", func() bool {
			return strings.Count(p.said(), "recordings are not shipped") == 2 && strings.Count(p.said(), "audit records are not shipped") == 2
		})
	}
	startNATS(t, *o)
	shipped(2)
	gate.knowsBy("one", "two")
	var tries []string
	for line := range strings.Lines(auditFile(t, o.LogFile)) {
		if strings.Contains(line, " Violation - ") {
			tries = append(tries, line)
		}
	}
	if len(tries) != 2 || strings.Count(strings.Join(tries, ""), `Subscription Violation - Subject "glasstty.from.*.state"`) != 2 || strings.Contains(strings.Join(tries, ""), "glasstty one") {
		t.Errorf("NATS refused the following; want only one subscription of node two per connection:\n%s", strings.Join(tries, ""))
	}
}

// knowsBy waits until the server can list the sessions of the given nodes.
func (p *process) knowsBy(names ...string) {
	p.t.Helper()
	for _, name := range names {
		p.await("the sessions of "+name, func() bool {
			text, _, err := p.invoke(p.t.Context(), "list_sessions", args{"host": name})
			return err == nil && strings.Contains(text, name+"/s1")
		})
	}
}
