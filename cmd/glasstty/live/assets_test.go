package live

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"
)

// pageSize is the most that the page's files take on their way to a browser, in bytes, with
// the common characters in all four faces. With headers and the first answers of the server
// that leaves the page below 120,000 bytes, which TestLoaded of internal/bench/page measures.
const pageSize = 107_000

// TestPageSize adds up what the whole page takes on its way to a browser.
func TestPageSize(t *testing.T) {
	var names []string
	for _, pattern := range []string{"page/*.*", "page/font/*"} {
		found, err := fs.Glob(page, pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	sent, plain := 0, 0
	for _, name := range names {
		a, err := newAsset(strings.TrimSuffix(strings.TrimPrefix(name, "page/"), ".gz"))
		if err != nil {
			t.Fatal(err)
		}
		if a.kind == "" {
			t.Errorf("%s has no type", name)
		}
		sent += len(a.zipped)
		plain += len(a.plain)
	}
	t.Logf("%d bytes, %d when they are unpacked", sent, plain)
	if sent > pageSize {
		t.Errorf("%d bytes, at most %d are allowed", sent, pageSize)
	}
}

// TestLean wants scripts that lose their comments and indentation alone: no line of code, no
// line's number, and nothing inside a string that goes on over several lines.
func TestLean(t *testing.T) {
	const code = "// A comment.\nf('//', `a`); // stays\n\n  // Another.\n  g();\n"
	if got, want := string(lean(".js", []byte(code))), "\nf('//', `a`); // stays\n\n\ng();\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := string(lean(".css", []byte("/* A\n   comment. */\n.a { }\n  .b { }\n"))); got != "\n.a { }\n.b { }\n" {
		t.Errorf("%q", got)
	}
	names, err := fs.Glob(page, "page/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := page.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(data), "\n") {
			if strings.Count(line, "`")%2 != 0 {
				t.Errorf("%s:%d: a string goes on in the next line: %s", name, n+1, line)
			}
		}
	}
}

// TestAssets wants a file plain and compressed, and not again where the browser has it.
func TestAssets(t *testing.T) {
	r := newRig(t)
	source, err := page.ReadFile("page/app.js")
	if err != nil {
		t.Fatal(err)
	}
	want := lean(".js", source)
	for _, encoding := range []string{"identity", "gzip"} {
		get := func(tag string) *http.Response {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/ann/app.js", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept-Encoding", encoding)
			req.Header.Set("If-None-Match", tag)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = res.Body.Close() })
			return res
		}
		res := get("")
		var body io.Reader = res.Body
		if res.Header.Get("Content-Encoding") == "gzip" {
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(body)
		if err != nil || !bytes.Equal(got, want) || (encoding == "gzip") != (res.Header.Get("Content-Encoding") == "gzip") {
			t.Errorf("%s: %d bytes as %q, %v", encoding, len(got), res.Header.Get("Content-Encoding"), err)
		}
		if again := get(res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: again %s", encoding, again.Status)
		}
	}
}
