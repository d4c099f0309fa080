package fleet

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nkeys"

	"github.com/glasstty/glasstty/internal/fleet"
)

// fleetPage returns docs/fleet.md.
func fleetPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "fleet.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// found returns the submatches of pattern in page. The page must match.
func found(t *testing.T, page, pattern string) []string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("docs/fleet.md has no %s", pattern)
	}
	return m[1:]
}

// serveNATS runs nats-server with the configuration in dir.
func serveNATS(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(natsProgram(t), args...)
	p := newProcess(t, dir, cmd)
	t.Cleanup(func() { p.end(syscall.SIGTERM) })
	p.await("NATS", func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+portIn(t, dir))
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// portIn returns the port from the NATS configuration in dir.
func portIn(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	return found(t, string(text), `(?m)^port: (\d+)$`)[0]
}

// contained starts a server as in a container, configured only by arguments and environment
// variables.
func contained(t *testing.T, args string, env ...string) *process {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(binary, strings.Split(args, ", ")...)
	cmd.Dir = home
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "XDG_RUNTIME_DIR=" + home, "GLASSTTY_DATA_DIR=" + filepath.Join(home, "data")}, env...)
	p := newProcess(t, home, cmd)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of %v:\n%s", env, p.said())
		}
		p.end(syscall.SIGTERM)
	})
	return p
}

// TestCompose checks the compose file of docs/fleet.md: it runs NATS and the three nodes with the
// arguments and variables in the file.
func TestCompose(t *testing.T) {
	t.Parallel()
	page, dir := fleetPage(t), fleetDir(t)
	initFleet(t, "--node", "build1,build2,gpu1", "--gateway", "desk", dir)
	nats := found(t, page, `image: nats:2\n    command: \[-c, /fleet/(nats.conf)\]`)
	serveNATS(t, dir, "-c", filepath.Join(dir, nats[0]))
	url := strings.Replace(found(t, page, `GLASSTTY_FLEET: (tls://nats:4222)\n`)[0], "nats:4222", "127.0.0.1:"+portIn(t, dir), 1)
	args := found(t, page, `GLASSTTY_FLEET_CREDS: /run/secrets/seed\n  command: \[(.*)\]`)[0]
	services := regexp.MustCompile(`<<: \*node\n    environment: \{<<: \*env, (.*)\}\n    secrets: \[\{source: (\w+), target: seed\}\]`).FindAllStringSubmatch(page, -1)
	if len(services) != 3 {
		t.Fatalf("the compose file has %d nodes, want 3", len(services))
	}
	for _, s := range services {
		env := []string{"GLASSTTY_FLEET=" + url, "GLASSTTY_FLEET_CREDS=" + filepath.Join(dir, s[2]+".node")}
		for pair := range strings.SplitSeq(s[1], ", ") {
			env = append(env, strings.Replace(pair, ": ", "=", 1))
		}
		contained(t, args, env...)
	}
	desk := startNode(t, url, "desk", "--gateway", "--fleet-creds", filepath.Join(dir, "desk.gateway"))
	for _, host := range []string{"build1", "build2", "gpu=a100"} {
		desk.await("a program on "+host, func() bool {
			_, data, err := desk.invoke(t.Context(), "start_process", hello(host))
			return err == nil && data["initial_output"] == "hello"
		})
	}
}

// hello returns the arguments that start a program that prints hello on a host.
func hello(host string) args {
	return args{"host": host, "command": "echo", "args": []string{"hello"}, "until": "exit"}
}

// TestDaemonSet checks the DaemonSet in docs/fleet.md: it runs a pod with the arguments,
// variables and preStop command in the file. The DaemonSet's single NATS user has the rights of
// nodes and gateways of every name.
func TestDaemonSet(t *testing.T) {
	t.Parallel()
	page, dir := fleetPage(t), fleetDir(t)
	initFleet(t, "--gateway", "desk", dir)
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := os.ReadFile(filepath.Join(dir, "cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	creds := filepath.Join(dir, "seed")
	if err := os.WriteFile(creds, append(append(seed, '\n'), cert...), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	quoted := func(subjects []string) string { return `"` + strings.Join(subjects, `", "`) + `"` }
	publish, subscribe := fleet.Rights("*", true, true)
	conf := filepath.Join(dir, "nats.conf")
	text, err := os.ReadFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Replace(string(text), "users = [\n", "users = [\n{ nkey: "+key+", permissions: { publish: ["+quoted(publish)+"], subscribe: ["+quoted(subscribe)+"] } }\n", 1)
	if err := os.WriteFile(conf, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	serveNATS(t, dir, "-c", conf)

	args := found(t, page, `args: \[(serve.*)\]`)[0]
	url := strings.Replace(found(t, page, `name: GLASSTTY_FLEET, value: "(tls://nats:4222)"`)[0], "nats:4222", "127.0.0.1:"+portIn(t, dir), 1)
	stop := found(t, page, `preStop: \{exec: \{command: \[sh, -c, '(.*)'\]\}\}`)[0]
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"GLASSTTY_FLEET=" + url, "GLASSTTY_FLEET_CREDS=" + creds, "HOSTNAME=" + name}
	pod := contained(t, args, env...)
	desk := startNode(t, url, "desk", "--gateway", "--fleet-creds", filepath.Join(dir, "desk.gateway"))
	desk.await("a program in the pod", func() bool {
		_, data, err := desk.invoke(t.Context(), "start_process", hello(fleet.DefaultName(name)))
		return err == nil && data["initial_output"] == "hello"
	})
	cmd := exec.Command("sh", "-c", stop)
	cmd.Env = append(pod.cmd.Env, "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "empty") {
		t.Errorf("%s: %v: %s", stop, err, out)
	}
}
