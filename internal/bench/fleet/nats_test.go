package fleet

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsServer is the name under which this test's binary runs nats-server.
const natsServer = "nats-server"

// natsMain is the main function of nats-server.
func natsMain() error {
	flags := flag.NewFlagSet(natsServer, flag.ExitOnError)
	o, err := server.ConfigureOptions(flags, os.Args[1:], flags.Usage, flags.Usage, flags.Usage)
	if err != nil {
		return err
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	if err := server.Run(s); err != nil {
		return err
	}
	s.WaitForShutdown()
	return nil
}

// natsProgram returns the path of nats-server.
func natsProgram(t testing.TB) string { return selfAs(t, natsServer) }

// selfAs returns a path with the given file name that runs this test's binary.
func selfAs(t testing.TB, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// natsCluster writes the configurations of a cluster of NATS servers with JetStream on free
// loopback ports. It returns the configuration files and the URLs.
func natsCluster(t testing.TB, size int) (files, urls []string) {
	t.Helper()
	ports := freePorts(t, 2*size)
	var routes []string
	for i := range size {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[size+i]))
	}
	for i := range size {
		dir := t.TempDir()
		file := filepath.Join(dir, "nats.conf")
		text := fmt.Sprintf("server_name: n%d\nlisten: 127.0.0.1:%d\njetstream { store_dir: %q }\ncluster { name: c, listen: 127.0.0.1:%d, routes: [%s] }\n",
			i+1, ports[i], dir, ports[size+i], strings.Join(routes, ", "))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files, urls = append(files, file), append(urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
	}
	return files, urls
}

// freePorts returns free loopback ports. They are below the ephemeral port range, so that a
// killed server can get its port again.
func freePorts(t testing.TB, n int) (ports []int) {
	t.Helper()
	for limit := time.Now().Add(patience); len(ports) < n; {
		port := 10000 + rand.IntN(20000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			defer l.Close()
			ports = append(ports, port)
		} else if time.Now().After(limit) {
			t.Fatal(err)
		}
	}
	return ports
}
