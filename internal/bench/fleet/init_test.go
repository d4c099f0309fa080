package fleet

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestInit has glasstty fleet init make a fleet with TLS and credentials, starts a NATS
// server with the configuration that it wrote, and joins.
func TestInit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := func(words ...string) string {
		t.Helper()
		out, err := exec.Command(binary, append([]string{"fleet", "init", dir}, words...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if out, err := exec.Command(binary, "fleet", "init", "--node", "one", dir).CombinedOutput(); err == nil || !strings.Contains(string(out), "--host") {
		t.Errorf("without a host: %v: %s", err, out)
	}
	for flag, want := range map[string]string{"127.0.0.1:4222": "the port is in nats.conf", "127.0.0.1": "lets everybody in"} {
		if out, err := exec.Command(binary, "fleet", "init", "--host", flag, t.TempDir()).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("--host %s: %v: %s; want %q", flag, err, out, want)
		}
	}
	const join = "glasstty serve --fleet tls://127.0.0.1:4222 --fleet-creds "
	nodes := join + "one.node --node one    # after copying one.node there\n" + join + "gate.gateway --node gate --gateway    # after copying gate.gateway there\n"
	if out := made("--host", "127.0.0.1", "--gateway", "gate", "--node", "one"); !strings.HasPrefix(out, "nats-server -c") || !strings.HasSuffix(out, "\n"+nodes) {
		t.Errorf("init says %s", out)
	}
	seed, err := os.ReadFile(filepath.Join(dir, "one.node"))
	if err != nil {
		t.Fatal(err)
	}
	made("--node", "one,two")
	if again, err := os.ReadFile(filepath.Join(dir, "one.node")); err != nil || string(again) != string(seed) {
		t.Errorf("the credentials of a member are others: %v", err)
	}
	o, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	o.Port = server.RANDOM_PORT
	url := strings.Replace(startNATS(t, *o).ClientURL(), "nats://", "tls://", 1)
	creds := func(file string) []string { return []string{"--fleet-creds", filepath.Join(dir, file)} }
	one := startNode(t, url, "one", append(creds("one.node"), "--log-level", "debug")...) // there is no gateway yet
	gate := startNode(t, url, "gate", append(creds("gate.gateway"), "--gateway")...)
	startNode(t, url, "two", creds("two.node")...)
	gate.await("the node", func() bool {
		_, _, err := gate.invoke(t.Context(), "start_process", args{"command": "cat", "host": "two"})
		return err == nil
	})
	evil := begin(t, t.TempDir(), url, "two2", creds("one.node")...) // another's name
	evil.connect()
	gate.fails("start_process", args{"command": "cat", "host": "two2"}, "no such host")
	evil.await("one word about the name", func() bool { return strings.Contains(evil.said(), "speak as two2") })
	evil.end(syscall.SIGTERM)
	if said := evil.said(); strings.Count(said, "level=") != 1 {
		t.Errorf("a node with the credentials of another says\n%s", said)
	}
	wrong := begin(t, t.TempDir(), url, "one2", append(creds("one.node"), "--gateway")...)
	wrong.connect()
	wrong.await("one word about the name", func() bool { return strings.Contains(wrong.said(), "speak as one2") })
	wrong.end(syscall.SIGTERM)
	if said := wrong.said(); strings.Count(said, "level=") != 1 {
		t.Errorf("a gateway with the credentials of a node says\n%s", said)
	}
	refused := func(words ...string) string {
		t.Helper()
		out, err := exec.Command(binary, append([]string{"fleet"}, words...)...).CombinedOutput()
		if err == nil {
			t.Errorf("%v prints %s", words, out)
		}
		return string(out)
	}
	for _, c := range []struct{ file, name, want string }{{"gate.gateway", "vm", "speak as vm"}, {"one.node", "one", "gateway's credentials"}} {
		for _, words := range [][]string{{"list"}, {"drain", "two"}} {
			words = append(words, "--fleet", url, "--fleet-creds", filepath.Join(dir, c.file), "--node", c.name)
			if said := refused(words...); !strings.Contains(said, c.want) || !strings.Contains(said, c.file) {
				t.Errorf("%v says %s", words, said)
			}
		}
	}
	one.await("the record of a node that came first", func() bool {
		out, err := exec.Command(binary, "fleet", "--fleet", url, "--fleet-creds", filepath.Join(dir, "gate.gateway"), "--node", "gate").Output()
		return err == nil && strings.Contains(string(out), "one ")
	})
	one.await("that it has no place for records", func() bool { return strings.Contains(one.said(), "no gateway has made the bucket") })
	if said := one.said(); strings.Contains(said, "level=WARN") || strings.Contains(said, "level=ERROR") {
		t.Errorf("a node that came before the gateway says\n%s", said)
	}
}
