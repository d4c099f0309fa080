package abuse

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// minDoors is the minimum number of doors in the table.
const minDoors = 60

// A door is one possible way into the server. Its function try attempts it and fails
// the test if it succeeds.
type door struct {
	name string
	try  func(t *testing.T, s *site)
}

// doors returns all doors. After each, TestDoors checks that nothing reached the
// program.
func doors() []door {
	var all []door
	for _, part := range [][]door{tokenDoors(), pageDoors(), wireDoors(), liveDoors(), socketDoors(), fileDoors(), nameDoors(), logDoors()} {
		all = append(all, part...)
	}
	return all
}

// TestDoors checks that an attacker gets in through none of the doors.
func TestDoors(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("this test builds and starts the server")
	}
	s := newSite(t)
	// With the right tokens, the requests succeed. This shows that the doors below fail
	// for the reason under test.
	for _, a := range s.strangers("Authorization: Bearer " + fullToken) {
		if a.status != http.StatusOK || strings.Contains(a.body, `"isError":true`) {
			t.Fatalf("the right token is refused: %d %s", a.status, a.body)
		}
	}
	if !strings.Contains(s.strangers("Authorization: Bearer " + readToken)[0].body, shown) {
		t.Fatal("the read token does not show the screen")
	}
	s.forget(t)
	names := map[string]bool{}
	for _, d := range doors() {
		if names[d.name] {
			t.Errorf("two doors are named %q", d.name)
		}
		names[d.name] = true
		t.Run(d.name, func(t *testing.T) {
			d.try(t, s)
			s.untouched(t)
		})
	}
	t.Logf("tried %d doors", len(names))
	if len(names) < minDoors {
		t.Errorf("got %d doors, want at least %d", len(names), minDoors)
	}
	// The agent can still use its session.
	if res := s.call("send_and_read", map[string]any{"session_id": s.session, "text": ": still here", "press_enter": true, "timeout": 20}); res.IsError {
		t.Error(text(res))
	}
	for _, token := range []string{fullToken, readToken, watchToken} {
		if strings.Contains(s.stderr.String(), token) {
			t.Errorf("the server's log contains the token %s", token)
		}
	}
}

// forget waits until the input typed with the right token has arrived, and then clears
// the stand-in's record.
func (s *site) forget(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(strings.Join(reached(t, s.record), "\n"), owned); {
		if time.Now().After(deadline) {
			t.Fatal("input typed with the right token did not arrive")
		}
		s.call("wait_for", map[string]any{"session_id": s.session, "until": "quiet", "timeout": 0.2})
	}
	if err := os.Truncate(s.record, 0); err != nil {
		t.Fatal(err)
	}
}

// headers returns a door that sends requests with the given headers and expects a
// status.
func headers(name string, status int, header ...string) door {
	return door{name, func(t *testing.T, s *site) { s.refused(t, s.strangers(header...), status) }}
}

// tokenDoors returns attempts to guess and to misuse tokens.
func tokenDoors() []door {
	full := "Authorization: Bearer " + fullToken
	return []door{
		headers("no token", 401),
		headers("an empty token", 401, "Authorization: Bearer "),
		headers("a wrong token", 401, "Authorization: Bearer 0123456789abcdefghijkl"),
		headers("the beginning of a token", 401, full[:len(full)-1]),
		headers("a token and more", 401, full+"x"),
		headers("a token in capitals", 401, strings.ToUpper(full)),
		headers("a token of another kind", 401, "Authorization: Basic "+fullToken),
		headers("a token without its kind", 401, "Authorization: "+fullToken),
		headers("two tokens", 401, "Authorization: Bearer wrong-0123456789abcdef", full),
		headers("a list of tokens", 401, full+", Bearer "+fullToken),
		headers("a token as a cookie", 401, "Cookie: token="+fullToken),
		headers("a token for a proxy", 401, "Proxy-Authorization: Bearer "+fullToken),
		headers("a token of the past", 401, "Authorization: Bearer "+oldToken),
		headers("a token file's line", 401, "Authorization: Bearer "+readToken+" scope=full"),
		headers("a token that may watch the page", 403, "Authorization: Bearer "+watchToken),
		{"a token in the address", func(t *testing.T, s *site) {
			k := rpc("snapshot", map[string]any{"session_id": s.session})
			k.target = "/mcp?token=" + fullToken + "&access_token=" + fullToken
			a := s.send(k)
			s.refused(t, []answer{a}, 401)
		}},
		{"a token that may only look", func(t *testing.T, s *site) {
			for tool, args := range map[string]map[string]any{
				"send_input": {"text": owned + "\r"}, "send_and_read": {"text": owned, "press_enter": true}, "send_keys": {"keys": []string{"o", "enter"}},
				"confirm_dangerous_command": {"input": owned, "justification": "x"}, "terminate_process": {"force": true}, "resize_pty": {"rows": 5},
			} {
				args["session_id"] = s.session
				a := s.send(rpc(tool, args, "Authorization: Bearer "+readToken))
				if !strings.Contains(a.body, "only watch") {
					t.Errorf("%s: %d %s", tool, a.status, clipped(a.body))
				}
			}
		}},
		{"guesses without end", func(t *testing.T, s *site) {
			s.knocks++
			last := 0
			for range 100 {
				s.knocks-- // every guess comes from the same address
				last = s.send(rpc("snapshot", map[string]any{"session_id": s.session}, "Authorization: Bearer guess-0123456789abcd")).status
			}
			s.knocks--
			right := s.send(rpc("snapshot", map[string]any{"session_id": s.session}, full))
			if last != 429 || right.status != 200 {
				t.Errorf("status %d after 100 guesses; status %d for the right token from the same address", last, right.status)
			}
		}},
		{"another's MCP session", func(t *testing.T, s *site) {
			begin := knock{method: "POST", target: "/mcp", header: []string{full}, body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`}
			id := s.send(begin).header.Get("Mcp-Session-Id")
			if id == "" {
				t.Fatal("the answer names no session")
			}
			k := rpc("send_input", map[string]any{"session_id": s.session, "text": owned + "\r"})
			for _, auth := range []string{"Authorization: Bearer " + readToken, "X-Nobody: x"} {
				k.header = []string{"Mcp-Session-Id: " + id, "Mcp-Protocol-Version: 2025-11-25", auth}
				s.refused(t, []answer{s.send(k)}, 401, 403)
			}
		}},
	}
}

// pageDoors returns requests that a hostile page in the user's browser can send,
// without a token or, in the worst case, with one.
func pageDoors() []door {
	full := "Authorization: Bearer " + fullToken
	host := func(name, host string) door { return headers("host "+name, 403, full, "Host: "+host) }
	origin := func(name, origin string) door { return headers("origin "+name, 403, full, "Origin: "+origin) }
	return []door{
		host("of a foreign site", "evil.example"),
		host("that rebinds to us", "rebound.evil.example:8080"),
		host("with our address in it", "127.0.0.1.evil.example"),
		headers("host with ours before an at", 400, full, "Host: 127.0.0.1@evil.example"),
		host("of another machine", "192.0.2.1"),
		host("with another behind a comma", "127.0.0.1:18080,evil.example"),
		host("that looks like localhost", "localhost.evil.example"),
		origin("of a foreign site", "https://evil.example"),
		origin("of nobody", "null"),
		origin("of another port", "http://127.0.0.1:1"),
		origin("of a file", "file://"),
		origin("of an extension", "chrome-extension://abcdefghijklmnop"),
		origin("that begins as ours", "http://ADDR.evil.example"),
		headers("two origins", 403, full, "Origin: http://ADDR", "Origin: https://evil.example"),
		headers("a foreign host that a proxy tells of", 401, "X-Forwarded-Host: ADDR", "X-Forwarded-For: 127.0.0.1", "X-Real-Ip: 127.0.0.1", "Forwarded: for=127.0.0.1;host=localhost"),
		{"no host at all", func(t *testing.T, s *site) { s.refused(t, s.strangers(full, "Host: -"), 400) }},
		{"two hosts", func(t *testing.T, s *site) { s.refused(t, s.strangers(full, "Host: ADDR", "Host: evil.example"), 400) }},
		{"a foreign host in the address", func(t *testing.T, s *site) {
			k := rpc("snapshot", map[string]any{"session_id": s.session}, full)
			k.target = "http://evil.example/mcp"
			s.refused(t, []answer{s.send(k)}, 403)
		}},
		{"a form of a foreign page", func(t *testing.T, s *site) {
			k := rpc("send_input", map[string]any{"session_id": s.session, "text": owned + "\r"}, "Origin: https://evil.example", "Content-Type: text/plain")
			s.refused(t, []answer{s.send(k)}, 403)
		}},
		{"a preflight of a foreign page", func(t *testing.T, s *site) {
			a := s.send(knock{method: "OPTIONS", target: "/mcp", header: []string{"Origin: https://evil.example", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"}})
			if a.status != 403 || a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("status %d, header %v", a.status, a.header)
			}
		}},
	}
}

// wireDoors returns malformed and ambiguous HTTP requests.
func wireDoors() []door {
	full := "Authorization: Bearer " + fullToken
	path := func(target string) door {
		return door{"path " + target, func(t *testing.T, s *site) {
			k := rpc("send_input", map[string]any{"session_id": s.session, "text": owned + "\r"})
			k.target = target
			s.refused(t, []answer{s.send(k)}, 307, 308, 400, 401, 403, 404, 405)
		}}
	}
	method := func(name string) door {
		return door{"method " + name, func(t *testing.T, s *site) {
			k := rpc("send_input", map[string]any{"session_id": s.session, "text": owned + "\r"})
			k.method = name
			s.refused(t, []answer{s.send(k)}, 400, 401, 403, 404, 405, 501)
		}}
	}
	raw := func(name, text string, statuses ...int) door {
		return door{name, func(t *testing.T, s *site) {
			k := rpc("send_input", map[string]any{"session_id": s.session, "text": owned + "\r"})
			k.header, k.raw = strings.Split(text, "\n"), true
			s.refused(t, []answer{s.send(k)}, statuses...)
		}}
	}
	return []door{
		path("//mcp"), path("/./mcp"), path("/healthz/../mcp"), path("/%6dcp"), path("/mcp/"), path("/mcp%00"), path("/healthz%2f..%2fmcp"), path("/MCP"), path(`/..\mcp`), path("/link/../mcp"),
		method("TRACE"), method("CONNECT"), method("PROPFIND"), method("post"), method("HEAD"),
		headers("another method in a header", 401, "X-HTTP-Method-Override: GET", "X-Original-URL: /healthz", "X-Rewrite-URL: /healthz"),
		raw("a request inside a request", "Host: ADDR\nContent-Length: 4\nTransfer-Encoding: chunked", 400, 401),
		raw("two lengths", "Host: ADDR\nContent-Length: 4\nContent-Length: 40", 400),
		raw("a length that is none", "Host: ADDR\nContent-Length: +4", 400),
		raw("a chunked body in two ways", "Host: ADDR\nTransfer-Encoding: chunked\nTransfer-Encoding: identity", 400, 501),
		raw("a blank before the colon", "Host: ADDR\nAuthorization : Bearer "+fullToken, 400),
		raw("a header with a carriage return", "Host: ADDR\nX: a\rAuthorization: Bearer "+fullToken, 400, 401),
		{"a header of a megabyte", func(t *testing.T, s *site) {
			s.refused(t, s.strangers("X-Long: "+strings.Repeat("x", 1<<20)), 0, 431)
		}},
		{"a body of five megabytes", func(t *testing.T, s *site) {
			k := rpc("send_input", map[string]any{"session_id": s.session, "text": owned + strings.Repeat("x", 5<<20)}, full)
			s.refused(t, []answer{s.send(k)}, 0, 413)
		}},
		{"a body that nests without end", func(t *testing.T, s *site) {
			k := rpc("send_input", nil, full)
			k.body = strings.Repeat(`{"jsonrpc":[`, 100_000)
			s.refused(t, []answer{s.send(k)}, 400)
		}},
		{"a body that does not come", func(t *testing.T, s *site) {
			for _, k := range []knock{
				{method: "POST", target: "/mcp", header: []string{"Content-Length: 10"}, body: "{"},
				{method: "POST", target: "/mcp", header: []string{"Content-Length: -", "Transfer-Encoding: chunked"}, body: "a"},
				{method: "POST", target: "/live/act", header: []string{"Content-Length: 10", "Origin: https://evil.example"}, body: "{"},
			} {
				start := time.Now()
				s.refused(t, []answer{s.send(k)}, 401, 403)
				if d := time.Since(start); d > 25*time.Second {
					t.Errorf("the server took %v to answer", d)
				}
			}
		}},
		{"a slow header", func(t *testing.T, s *site) {
			s.knocks++
			conn, err := s.dial()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nX-Slow: ", s.addr); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if _, err := conn.Read(make([]byte, 1)); err == nil || time.Since(start) > 50*time.Second {
				t.Errorf("the server still waits after %v: %v", time.Since(start), err)
			}
		}},
	}
}

// liveDoors returns attempts to reach the live page.
func liveDoors() []door {
	open := func(name, method, target string, header ...string) door {
		return door{name, func(t *testing.T, s *site) {
			s.refused(t, []answer{s.send(knock{method: method, target: target, header: header})}, 401, 403, 404, 405, 410)
		}}
	}
	socket := []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="}
	return []door{
		open("the page without a token", "GET", "/live/"),
		open("the list of sessions without a token", "GET", "/live/sessions"),
		open("an action without a token", "POST", "/live/act"),
		open("the lines without a token", "GET", "/live/lines?id=s1"),
		open("the metrics without a token", "GET", "/metrics"),
		open("the events without a token", "GET", "/live/events"),
		open("a WebSocket without a token", "GET", "/live/ws", socket...),
		open("a WebSocket of a foreign page", "GET", "/live/ws", append(socket, "Authorization: Bearer "+fullToken, "Origin: https://evil.example")...),
		open("a cookie that is made up", "GET", "/live/sessions", "Cookie: glasstty-8080=0123456789abcdefghijklmnop; glasstty=x"),
		open("a link that is guessed", "GET", "/link/ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
		open("a link's path without a code", "GET", "/link/"),
		open("a file beside the page", "GET", "/live/..%2f..%2f..%2fetc%2fpasswd", "Authorization: Bearer "+watchToken),
		{"a link twice", func(t *testing.T, s *site) {
			path := s.link(t, "watch")
			if a := s.send(knock{method: "GET", target: path}); a.status != 303 {
				t.Fatalf("first use of the link: status %d", a.status)
			}
			again := s.send(knock{method: "GET", target: path})
			s.refused(t, []answer{again}, 410)
			if again.header.Get("Set-Cookie") != "" {
				t.Error("the second use of the link sets a cookie")
			}
		}},
		{"a link that a preview has looked at", func(t *testing.T, s *site) {
			path := s.link(t, "watch")
			if a := s.send(knock{method: "HEAD", target: path}); a.header.Get("Set-Cookie") != "" {
				t.Error("a cookie for a look")
			}
			if a := s.send(knock{method: "GET", target: path}); a.status != 303 {
				t.Errorf("the person is refused afterwards: status %d", a.status)
			}
		}},
		{"a watcher's cookie that types", func(t *testing.T, s *site) {
			cookie := s.cookie(t, "watch")
			a := s.send(knock{method: "POST", target: "/live/act", header: append(cookie, "Origin: http://ADDR"), body: `{"do":"take","id":"` + s.session + `"}`})
			if strings.Contains(a.body, "done") {
				t.Errorf("status %d: %s", a.status, a.body)
			}
			if res := s.call("get_session_info", map[string]any{"session_id": s.session}); strings.Contains(text(res), "taken over") {
				t.Error(text(res))
			}
		}},
		{"a page's cookie at the tools", func(t *testing.T, s *site) { s.refused(t, s.strangers(s.cookie(t, "type")...), 401) }},
		{"a cookie from a foreign page", func(t *testing.T, s *site) {
			a := s.send(knock{method: "GET", target: "/live/sessions", header: append(s.cookie(t, "type"), "Origin: https://evil.example")})
			s.refused(t, []answer{a}, 403)
		}},
		{"a cookie that a server on another port was sent", func(t *testing.T, s *site) {
			cookie := s.cookie(t, "type")[0]
			for _, target := range []string{"/live/sessions", "/live/events", "/live/inputs?id=" + s.session, "/live/lines?id=" + s.session + "&rows=9"} {
				s.refused(t, []answer{s.send(knock{method: "GET", target: target, header: []string{cookie}})}, 401)
			}
			s.refused(t, []answer{s.send(knock{method: "GET", target: "/live/ws?proof=" + strings.Repeat("A", 26), header: append(socket, cookie)})}, 401)
		}},
		{"a page in another's frame", func(t *testing.T, s *site) {
			a := s.send(knock{method: "GET", target: "/live/", header: s.cookie(t, "watch")})
			if a.status != 200 || !strings.Contains(a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("status %d, header %v", a.status, a.header)
			}
		}},
	}
}

// link requests a link with the command, as the user does, and returns its path.
func (s *site) link(t *testing.T, scope string) string {
	t.Helper()
	args := []string{"link", "--socket", s.socket}
	if scope == "watch" {
		args = append(args, "--watch-only")
	}
	out, err := s.command(args...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "http://"+s.addr)
}

// cookie opens a link and returns the request headers with its cookie and the page's
// proof.
func (s *site) cookie(t *testing.T, scope string) []string {
	t.Helper()
	a := s.send(knock{method: "GET", target: s.link(t, scope)})
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	_, proof, _ := strings.Cut(a.header.Get("Location"), "#proof=")
	if a.status != 303 || cookie == "" || proof == "" || !strings.Contains(a.header.Get("Set-Cookie"), "HttpOnly; SameSite=Lax") {
		t.Fatalf("status %d, header %v", a.status, a.header)
	}
	return []string{"Cookie: " + cookie, "Glasstty-Proof: " + proof}
}

// socketDoors returns attempts to reach the local socket.
func socketDoors() []door {
	starts := func(name, want string, prepare func(t *testing.T, s *site, dir string) string) door {
		return door{name, func(t *testing.T, s *site) {
			dir, err := os.MkdirTemp(s.dir, "d")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			path := prepare(t, s, dir)
			before, errBefore := os.Lstat(path)
			s.mustNotStart(t, want, "serve", "--no-http", "--data-dir", "none", "--socket", path)
			after, errAfter := os.Lstat(path)
			if (errBefore == nil) != (errAfter == nil) || errAfter == nil && !os.SameFile(before, after) {
				t.Errorf("%s was %v (%v) before and is %v (%v) after", path, before, errBefore, after, errAfter)
			}
		}}
	}
	return []door{
		{"the socket's mode", func(t *testing.T, s *site) {
			for path, want := range map[string]fs.FileMode{s.socket: fs.ModeSocket | 0o600, filepath.Dir(s.socket): fs.ModeDir | 0o700} {
				if info, err := os.Lstat(path); err != nil || info.Mode() != want {
					t.Errorf("%s has mode %v (%v)", path, info.Mode(), err)
				}
			}
		}},
		{"the socket by another user", func(t *testing.T, s *site) {
			if os.Geteuid() != 0 {
				t.Skip("only root can be another user")
			}
			// The file modes let the other user in, so the server itself has to check
			// the peer.
			for _, path := range []string{s.dir, filepath.Dir(s.socket)} {
				if err := os.Chmod(path, 0o711); err != nil {
					t.Fatal(err)
				}
				defer os.Chmod(path, 0o700)
			}
			if err := os.Chmod(s.socket, 0o666); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(s.socket, 0o600)
			cmd := s.command("call", "list_sessions", "--socket", s.socket)
			cmd.Dir = "/"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			out, err := cmd.CombinedOutput()
			// The server may log its reason after the client has exited.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err == nil || strings.Contains(string(out), "victim") || !s.stderr.says(ctx, "uid 65534") {
				t.Errorf("%v: %s; the server says %s", err, out, s.stderr)
			}
		}},
		starts("a socket in a directory of everybody", "can be written by other users", func(t *testing.T, _ *site, dir string) string {
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(dir, "s")
		}),
		starts("a file in the socket's place", "not a socket", func(t *testing.T, _ *site, dir string) string {
			path := filepath.Join(dir, "s")
			if err := os.WriteFile(path, []byte("somebody's"), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}),
		starts("a link in the socket's place", "not a socket", func(t *testing.T, _ *site, dir string) string {
			if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "s")); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(dir, "s")
		}),
		starts("the socket of a living server", "serves", func(_ *testing.T, s *site, _ string) string { return s.socket }),
		{"rubbish at the socket", func(t *testing.T, s *site) {
			for _, text := range []string{"\x00\x00\x00\x00\n", strings.Repeat("x", 1<<20) + "\n", "{}\n[]\nnull\n", "GET /mcp HTTP/1.1\r\nHost: evil\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n"} {
				conn, err := net.Dial("unix", s.socket)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := conn.Write([]byte(text)); err != nil {
					t.Log(err) // the server may close the connection before it has read everything
				}
				conn.Close()
			}
		}},
	}
}

// mustNotStart runs the command and checks that it fails with an error that contains
// want.
func (s *site) mustNotStart(t *testing.T, want string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := s.command(args...)
	limited := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
	limited.Dir, limited.Env = cmd.Dir, cmd.Env
	if out, err := limited.CombinedOutput(); err == nil || ctx.Err() != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v, want %q: %s", err, want, out)
	}
}

// fileDoors returns attempts to get secrets from files, environments and command lines.
func fileDoors() []door {
	return []door{
		{"the modes of the data", func(t *testing.T, s *site) {
			err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := d.Info()
				if err != nil {
					return err
				}
				if own := filepath.Base(path); own != "glasstty" && info.Mode().Type() != fs.ModeSymlink && info.Mode().Perm()&0o077 != 0 {
					t.Errorf("%s has mode %v, want no access for others", path, info.Mode())
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}},
		{"a token file that others can read", func(t *testing.T, s *site) {
			path := filepath.Join(s.dir, "open")
			if err := os.WriteFile(path, []byte(fullToken+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(path)
			s.mustNotStart(t, "chmod 600", "serve", "--port", "0", "--data-dir", "none", "--socket", filepath.Join(s.dir, "x"), "--token-file", path)
		}},
		{"every address without a token", func(t *testing.T, s *site) {
			s.mustNotStart(t, "needs a token", "serve", "--port", "0", "--host", "0.0.0.0", "--data-dir", "none", "--socket", filepath.Join(s.dir, "x"))
		}},
		{"the token in a program's environment", func(t *testing.T, s *site) {
			env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.child))
			if err != nil || len(env) == 0 || strings.Contains(string(env), fullToken) {
				t.Errorf("the program's environment has %d bytes (%v) or contains the token", len(env), err)
			}
		}},
		{"the token in a command line", func(t *testing.T, s *site) {
			all, err := filepath.Glob("/proc/[0-9]*/cmdline")
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range all {
				if line, err := os.ReadFile(path); err == nil && strings.Contains(string(line), fullToken) {
					t.Errorf("%s contains the token: %q", path, line)
				}
			}
		}},
		{"the token in the data", func(t *testing.T, s *site) {
			err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() || path == s.tokens || filepath.Base(path) == "glasstty" {
					return err
				}
				data, err := os.ReadFile(path)
				for _, token := range []string{fullToken, readToken, watchToken} {
					if strings.Contains(string(data), token) {
						t.Errorf("%s contains the token %s", path, token)
					}
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}},
		{"a link in the place of the audit log", func(t *testing.T, s *site) {
			path, victim := filepath.Join(s.dir, "linked.log"), filepath.Join(s.dir, "victim.txt")
			if err := os.Symlink(victim, path); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(path)
			s.mustNotStart(t, "symbolic link", "serve", "--no-http", "--data-dir", "none", "--socket", filepath.Join(s.dir, "x"), "--audit-log", path)
			if _, err := os.Stat(victim); err == nil {
				t.Error("the link was followed")
			}
		}},
	}
}

// nameDoors returns session IDs, resources and names that look like others, sent by an
// agent that may call tools and tries to reach something that is not its own.
func nameDoors() []door {
	id := func(what, id string) door {
		return door{"session id " + what, func(t *testing.T, s *site) {
			a := s.send(rpc("send_input", map[string]any{"session_id": id, "text": owned + "\r"}, "Authorization: Bearer "+fullToken))
			if a.status != 200 || !strings.Contains(a.body, `"isError":true`) {
				t.Errorf("status %d, want a tool error: %s", a.status, clipped(a.body))
			}
		}}
	}
	return []door{
		id("with dots", "../s1"), id("with a NUL", "s1\x00"), id("in capitals", "S1"), id("with a blank", " s1"), id("encoded", "%73%31"), id("of a megabyte", strings.Repeat("s1", 1<<19)),
		id("of everything", "*"), id("with a line feed", "s1\ns1"), id("in wide letters", "ｓ１"),
		{"a resource with dots", func(t *testing.T, s *site) {
			for _, uri := range []string{"cli://../s1/history", "cli://s1/../../etc/passwd", "file:///etc/passwd", "cli://s1/recording/../screen", "cli://S1/screen"} {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, uri, newest)
				a := s.send(knock{method: "POST", target: "/mcp", body: body, header: []string{"Authorization: Bearer " + readToken, "Mcp-Protocol-Version: " + newest, "Mcp-Method: resources/read", "Mcp-Name: " + uri}})
				if !strings.Contains(a.body, `"error"`) {
					t.Errorf("%s: %d %s", uri, a.status, clipped(a.body))
				}
				s.tellsNothing(t, answer{a.status, a.header, strings.ReplaceAll(a.body, uri, "")})
			}
		}},
		{"a name with an escape sequence", func(t *testing.T, s *site) {
			res := s.call("start_process", map[string]any{"command": filepath.Join(s.dir, "bash"), "name": "a\x1b[2Jb"})
			if !res.IsError {
				t.Error(text(res))
			}
		}},
		{"a start that is not held", func(t *testing.T, s *site) {
			for _, ref := range []string{"held1", "held0", "held999"} {
				a := s.send(rpc("confirm_dangerous_command", map[string]any{"session_id": ref, "input": "touch " + filepath.Join(s.dir, "made"), "justification": "x"}, "Authorization: Bearer "+fullToken))
				if !strings.Contains(a.body, `"isError":true`) {
					t.Errorf("%s: want an error, got %s", ref, clipped(a.body))
				}
			}
			if _, err := os.Stat(filepath.Join(s.dir, "made")); err == nil {
				t.Error("the command was run")
			}
		}},
	}
}

// logDoors returns attempts to forge lines in the server's logs and to tamper with the
// audit log.
func logDoors() []door {
	forge := "x\n{\"seq\":1,\"event\":\"forged\"}\r\ntime=now level=ERROR msg=forged \x1b[2J\u202e"
	tampered := func(name, want string, change func(data string) string) door {
		return door{"audit log " + name, func(t *testing.T, s *site) {
			data, err := os.ReadFile(s.log)
			if err != nil {
				t.Fatal(err)
			}
			head, err := os.ReadFile(s.log + ".head")
			if err != nil {
				t.Fatal(err)
			}
			copied := filepath.Join(s.dir, "copy.log")
			for path, text := range map[string]string{copied: change(string(data)), copied + ".head": string(head)} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				defer os.Remove(path)
			}
			out, err := s.command("audit", "verify", copied).CombinedOutput()
			if (err == nil) != (want == "whole") || !strings.Contains(string(out), want) {
				t.Errorf("%v, want %q: %s", err, want, out)
			}
		}}
	}
	return []door{
		{"log lines in a client's name", func(t *testing.T, s *site) {
			name, err := json.Marshal(forge)
			if err != nil {
				t.Fatal(err)
			}
			body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":` + string(name) + `,"version":"1"}}}`
			s.send(knock{method: "POST", target: "/mcp", body: body, header: []string{"Authorization: Bearer " + fullToken}})
			k := rpc("list_sessions", map[string]any{}, "Authorization: Bearer "+fullToken)
			k.body = strings.ReplaceAll(k.body, `"stranger"`, string(name))
			if a := s.send(k); a.status != 200 {
				t.Errorf("status %d: %s", a.status, clipped(a.body))
			}
			s.logsAreOurs(t)
		}},
		{"log lines in a path", func(t *testing.T, s *site) {
			s.send(knock{method: "GET", target: "/live/%0a%7b%22event%22:%22forged%22%7d%1b%5b2J"})
			s.logsAreOurs(t)
		}},
		{"log lines in a tool's name and arguments", func(t *testing.T, s *site) {
			s.send(rpc("x", map[string]any{forge: forge, "session_id": forge}, "Authorization: Bearer "+fullToken))
			s.send(rpc("send_input", map[string]any{"session_id": forge, "text": forge, forge: forge}, "Authorization: Bearer "+fullToken))
			s.logsAreOurs(t)
		}},
		tampered("as it is", "whole", func(d string) string { return d }),
		tampered("with a word changed", "its hash is wrong", func(d string) string { return strings.Replace(d, `"stranger 1"`, `"somebody 1"`, 1) }),
		tampered("with a line taken out", "are missing", func(d string) string { return d[:strings.Index(d, "\n")+1] + d[strings.Index(d, "\n{\"seq\":3")+1:] }),
		tampered("with its end cut off", "missing at the end", func(d string) string {
			d = d[:len(d)-1]
			return d[:strings.LastIndex(d, "\n")+1]
		}),
		tampered("with two lines changed about", "line 2", func(d string) string {
			l := strings.SplitAfter(d, "\n")
			l[1], l[2] = l[2], l[1]
			return strings.Join(l, "")
		}),
	}
}

// logsAreOurs fails the test if something that a stranger sent appears in the server's
// log or audit log as a line of its own or with control characters.
func (s *site) logsAreOurs(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile(s.log)
	if err != nil {
		t.Fatal(err)
	}
	for name, log := range map[string]string{"standard error": s.stderr.String(), "audit log": string(data)} {
		for line := range strings.Lines(log) {
			if strings.HasPrefix(line, "time=now") || strings.HasPrefix(line, `{"seq":1,"event"`) || strings.ContainsAny(line, "\x1b\r") {
				t.Errorf("the %s has the line %q", name, clipped(line))
			}
		}
	}
}
