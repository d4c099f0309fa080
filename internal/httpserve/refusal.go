package httpserve

import (
	"fmt"
	"net/http"
	"strings"
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
<p>Run <code>glasstty link</code> on the server's machine, or ask the person who runs the server, and open the link here. It works once, within two minutes; a program that shows previews of links may use it up.</p>
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
		head = "This link is used, expired or unknown"
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, refusalPage, head) // the browser may have disconnected
}
