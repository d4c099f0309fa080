package httpserve

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBrowsersStay checks that a browser that an earlier server let in stays let in until
// its cookie expires, and that the file contains no secret.
func TestBrowsersStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "browsers")
	old := newLinks()
	if err := old.load(path); err != nil {
		t.Fatal(err)
	}
	old.add("code", "ann", Principal{ID: "link-1", Name: "Ann", Scopes: Scopes{ScopeType}})
	let, err := old.redeem("code")
	if err != nil {
		t.Fatal(err)
	}
	if err := old.save(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(string(data), let.cookie) || strings.Contains(string(data), let.proof) || strings.Contains(string(data), "code") {
		t.Errorf("%v, %v: %s", err, info.Mode(), data)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: cookieName, Value: let.cookie})
	req.Header.Set(headerProof, let.proof)
	next := newLinks()
	if err := next.load(path); err != nil {
		t.Fatal(err)
	}
	if p, ok := next.principal(req, false); !ok || p.ID != "link-1" || p.Name != "Ann" || !p.Scopes.Allows(ScopeType) || p.Scopes.Allows(ScopeFull) {
		t.Errorf("%v, %+v", ok, p)
	}
	next.now = func() time.Time { return time.Now().Add(CookieLifetime + time.Second) }
	if _, ok := next.principal(req, false); ok {
		t.Error("a browser is let in after its cookie expired")
	}
}

// TestBrowsersRefused checks that a file that others could read, or that is invalid, is
// rejected.
func TestBrowsersRefused(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	line := func(hash, scopes, until string) string {
		return `[{"hash":"` + hash + `","proof":"` + strings.Repeat("cd", 32) + `","id":"x","scopes":"` + scopes + `","until":"` + until + `"}]`
	}
	soon := time.Now().Add(time.Hour).Format(time.RFC3339)
	for _, c := range []struct {
		name, data string
		mode       os.FileMode
		want       string // of the error; "" for none
	}{
		{"good", line(hash, "watch", soon), 0o600, ""},
		{"read by others", line(hash, "watch", soon), 0o644, "chmod 600"},
		{"no JSON", "{", 0o600, "JSON"},
		{"no scope", line(hash, "root", soon), 0o600, `"root"`},
		{"large", strings.Repeat(" ", maxBrowsersFile+1), 0o600, "bytes"},
	} {
		path := filepath.Join(t.TempDir(), "browsers")
		if err := os.WriteFile(path, []byte(c.data), c.mode); err != nil {
			t.Fatal(err)
		}
		l := newLinks()
		err := l.load(path)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || (l.browsers.Len() == 1) != (err == nil) {
			t.Errorf("%s: %v, %d browsers", c.name, err, l.browsers.Len())
		}
	}
}
