package httpserve

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// refusalPage is the page for a browser that is not let in.
const refusalPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>glasstty</title>
<style>body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto; padding: 0 1.2rem } code { font-size: 1.05em }</style>
</head>
<body>
<h1>%s</h1>
<p>%s.</p>
<p>To be let in, run <code>glasstty link</code> where the server runs, or ask who runs it to, and open the link that it prints here. It is good once, for two minutes; a program that shows previews of links may use it up.</p>
</body>
</html>
`

// answerRefusal writes the reason for a refusal. Browsers that ask for HTML and are not let in
// get a page.
func answerRefusal(w http.ResponseWriter, r *http.Request, status int, why string) {
	if status != http.StatusUnauthorized && status != http.StatusGone || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, why, status)
		return
	}
	head := "This browser is not let in"
	if status == http.StatusGone {
		head = "This link is not good any more"
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	first, size := utf8.DecodeRuneInString(why)
	var text strings.Builder
	_ = xml.EscapeText(&text, []byte(string(unicode.ToUpper(first))+why[size:])) // writing to a Builder cannot fail
	// The browser may have disconnected.
	_, _ = fmt.Fprintf(w, refusalPage, head, text.String())
}
