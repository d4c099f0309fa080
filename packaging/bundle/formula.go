package main

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"text/template"
)

// formulaText is the template of the formula.
//
//go:embed homebrew/glasstty.rb.tmpl
var formulaText string

// A download is the address and the SHA-256 of an archive.
type download struct{ URL, SHA256 string }

// formula writes the Homebrew formula, which installs the archives' binaries.
func (r *release) formula() error {
	t, err := template.New("formula").Option("missingkey=error").Parse(formulaText)
	if err != nil {
		return err
	}
	archives := map[string]map[string]download{}
	for _, b := range r.binaries {
		file := r.platformFile(b, ".tar.gz")
		sum, err := sumOf(filepath.Join(r.dist, file))
		if err != nil {
			return err
		}
		if archives[b.system] == nil {
			archives[b.system] = map[string]download{}
		}
		archives[b.system][b.machine] = download{r.url(file), sum}
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Homepage": repository, "Version": r.version, "License": license, "Archives": archives,
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.dist, "homebrew", name+".rb"), out.Bytes())
}
