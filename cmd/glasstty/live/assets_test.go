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

// pageSize is the largest allowed total size of the page's files as sent to a browser, in
// bytes, including the common characters of all four font faces. With headers and the
// first answers of the server the page stays below 120,000 bytes, which TestLoaded of
// internal/bench/page measures.
const pageSize = 107_000

// TestPageSize checks the total size of the page's files as sent to a browser.
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
		if a.mediaType == "" {
			t.Errorf("%s has no type", name)
		}
		sent += len(a.zipped)
		plain += len(a.plain)
	}
	t.Logf("%d bytes, %d uncompressed", sent, plain)
	if sent > pageSize {
		t.Errorf("%d bytes, want at most %d", sent, pageSize)
	}
}

// TestMinify checks that minify removes only comments and indentation, and keeps the line
// numbers. It also checks that no script has a string over several lines, which minify would
// change.
func TestMinify(t *testing.T) {
	const code = "// A comment.\nf('//', `a`); // stays\n\n  // Another.\n  g();\n"
	if got, want := string(minify(".js", []byte(code))), "\nf('//', `a`); // stays\n\n\ng();\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := string(minify(".css", []byte("/* A\n   comment. */\n.a { }\n  .b { }\n"))); got != "\n.a { }\n.b { }\n" {
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
				t.Errorf("%s:%d: string over several lines: %s", name, n+1, line)
			}
		}
	}
}

// TestAssets checks that a file is served plain and compressed, and not sent again if the
// browser has it.
func TestAssets(t *testing.T) {
	r := newRig(t)
	source, err := page.ReadFile("page/app.js")
	if err != nil {
		t.Fatal(err)
	}
	want := minify(".js", source)
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
			t.Errorf("%s: status with the ETag: %s", encoding, again.Status)
		}
	}
}
