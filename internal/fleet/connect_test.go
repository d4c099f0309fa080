package fleet

import (
	"bufio"
	"io"
	"net"
	"testing"
)

// TestSlowServer joins by a NATS server that has had no time for the client: a patient member
// goes on and tries again.
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
		t.Error("a member that is not patient has joined")
	}
	o.Patient = true
	m, err := Join(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
}
