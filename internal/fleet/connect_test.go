package fleet

import (
	"bufio"
	"io"
	"net"
	"testing"
)

// TestSlowServer checks that a server keeps trying if the NATS server times out
// the authentication, and that another member fails.
func TestSlowServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, `INFO {"server_id":"x","version":"2.10.0","max_payload":1048576}`+"\r\n")
			if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
				io.WriteString(conn, "-ERR 'Authentication Timeout'\r\n")
			}
			conn.Close()
		}
	}()
	o := Options{URL: "nats://" + l.Addr().String(), Name: "one"}
	if _, err := Join(t.Context(), o); err == nil {
		t.Error("no error for a member that is not a server")
	}
	o.Server = true
	m, err := Join(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
}
