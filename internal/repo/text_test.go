package repo

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// placesPattern matches text that is only valid on one machine: directories of that
// machine, and hosts of package registries, which users configure themselves. It is
// assembled from pieces so that it does not match itself.
var placesPattern = regexp.MustCompile(strings.Join([]string{
	`/` + `root/[a-z.]`, `/` + `Users/[a-z]`,
	`registry\.` + `npmjs\.org`, `proxy\.` + `golang\.org`, `sum\.` + `golang\.org`,
	`deb\.` + `debian\.org`, `files\.` + `pythonhosted\.org`,
}, "|"))

// places keeps machine paths and registry hosts out of the tree.
func places(t *tree) []string {
	var out []string
	for _, f := range t.text {
		line := 0
		for l := range bytes.Lines(f.data) {
			line++
			if m := placesPattern.Find(l); m != nil {
				out = append(out, fmt.Sprintf("%s:%d: %q means something on one machine only", f.path, line, m))
			}
		}
	}
	return out
}

// linkPattern matches the targets of Markdown links and pictures.
var linkPattern = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// links checks that every relative link in a Markdown file leads to a file.
func links(t *tree) []string {
	have := map[string]bool{}
	for _, f := range t.text {
		have[f.path] = true
	}
	var out []string
	for _, f := range t.text {
		if path.Ext(f.path) != ".md" {
			continue
		}
		for _, m := range linkPattern.FindAllSubmatch(f.data, -1) {
			u, err := url.Parse(string(m[1]))
			if err != nil || u.Scheme != "" || u.Path == "" || !isText(u.Path) && path.Ext(u.Path) != "" {
				continue
			}
			to := path.Join(path.Dir(f.path), u.Path)
			if !have[to] && !t.dirs[to] {
				out = append(out, fmt.Sprintf("%s: the link to %s leads nowhere", f.path, m[1]))
			}
		}
	}
	return out
}
