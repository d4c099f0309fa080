package httpserve

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// hosts holds the names that a server answers to. They protect it from DNS rebinding, by which a
// page of another site makes its own name resolve to the server's address: the Host header then
// contains that name.
type hosts struct {
	names []string // lower case, without port; in addition, loopback names and addresses are always allowed
	anyIP bool     // all IP addresses are allowed too: an attack by rebinding needs a name
}

// newHosts returns the hosts of a server that listens on host and has the extra names.
func newHosts(host string, extra []string) (hosts, error) {
	h := hosts{}
	for _, name := range extra {
		name, err := hostName(name)
		if err != nil {
			return h, err
		}
		h.names = append(h.names, name)
	}
	addr, err := netip.ParseAddr(host)
	switch {
	case host == "" || err == nil && addr.IsUnspecified():
		h.anyIP = true
	case !isLoopback(host):
		h.names = append(h.names, strings.ToLower(host))
	}
	return h, nil
}

// hostName returns the canonical form of a host's name or address: in lower case, without brackets.
func hostName(name string) (string, error) {
	lower := strings.ToLower(strings.Trim(name, "[]"))
	if _, err := netip.ParseAddr(lower); err == nil {
		return lower, nil
	}
	if lower == "" || strings.ContainsAny(lower, ":/*@ ") {
		return "", fmt.Errorf("host %q is not a name such as terminal.example.com; give it without scheme, port and path", name)
	}
	return lower, nil
}

// allowed reports whether the server answers to a request's Host: a name or an address with an
// optional port.
func (h hosts) allowed(host string) bool {
	u, err := url.Parse("http://" + host)
	if err != nil || u.Host != host {
		return false
	}
	name := strings.ToLower(u.Hostname())
	if isLoopback(name) || slices.Contains(h.names, name) {
		return true
	}
	_, err = netip.ParseAddr(name)
	return h.anyIP && err == nil
}

// isLoopback reports whether a host can be reached only from this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// origins holds the sites whose pages may use a server: its own and the listed ones.
type origins struct {
	listed []string
	scheme string // of the server's own pages
}

func newOrigins(listed []string, tls bool) (origins, error) {
	o := origins{scheme: "http"}
	if tls {
		o.scheme = "https"
	}
	for _, text := range listed {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" || u.RawQuery != "" || u.User != nil || u.Fragment != "" {
			return o, fmt.Errorf("invalid origin %q; want scheme://host[:port], such as https://app.example.com", text)
		}
		o.listed = append(o.listed, strings.ToLower(text))
	}
	return o, nil
}

// allowed reports whether the origin of r may use the server. A request without Origin is allowed: it
// comes from a program. The Host has been checked already, so an origin with the same host is the
// server's own page. Its scheme may be https even if the server has no TLS, because a proxy may add TLS.
func (o origins) allowed(r *http.Request) bool {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return true
	}
	origin := strings.ToLower(values[0])
	if len(values) > 1 {
		return false
	}
	host := strings.ToLower(r.Host)
	return origin == "https://"+host || origin == o.scheme+"://"+host || slices.Contains(o.listed, origin)
}

// Methods and headers that pages of an allowed origin may send and read.
const (
	allowedMethods = "GET, POST, DELETE"
	allowedHeaders = "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name"
	exposedHeaders = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
)

// preflight adds the CORS headers for listed origins. It reports true if r was a preflight
// request and has been answered.
func (o origins) preflight(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if !slices.Contains(o.listed, strings.ToLower(origin)) {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", exposedHeaders)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", allowedMethods)
	h.Set("Access-Control-Allow-Headers", allowedHeaders)
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
