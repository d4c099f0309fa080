package clientconfig

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzMerge checks that merging into arbitrary bytes fails or gives a file that merging
// again does not change, that removing the server again changes nothing either, and that
// the input is never modified.
func FuzzMerge(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range ar.Files {
			f.Add(part.Data)
		}
	}
	f.Add([]byte("\ufeff{\r\n}"))
	f.Add([]byte("{\"mcpServers\":{}//"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range Clients() {
			old := bytes.Clone(data)
			got, err := c.edit(data, server, false)
			if !bytes.Equal(data, old) {
				t.Fatalf("%s: the input %q became %q", c.ID, old, data)
			}
			if err != nil {
				continue
			}
			again, err := c.edit(got, server, false)
			if err != nil || !bytes.Equal(again, got) {
				t.Fatalf("%s: %q\nonce  %q\ntwice %q, %v", c.ID, data, got, again, err)
			}
			removed, err := c.edit(bytes.Clone(got), server, true)
			if errors.Is(err, ErrNotEditable) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: remove from %q: %v", c.ID, got, err)
			}
			if again, err := c.edit(bytes.Clone(removed), server, true); removed != nil && (err != nil || !bytes.Equal(again, removed)) {
				t.Fatalf("%s: %q\nremoved %q\ntwice   %q, %v", c.ID, got, removed, again, err)
			}
		}
	})
}
