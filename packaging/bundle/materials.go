package main

import (
	"fmt"
	"path/filepath"
)

// materials removes the hashes of the tool itself from the bills of materials, because they
// differ between machines.
func (r *release) materials() error {
	for _, b := range r.binaries {
		path := filepath.Join(r.dist, r.platformFile(b, ".cdx.json"))
		var bill map[string]any
		if err := readJSON(path, &bill); err != nil {
			return err
		}
		meta, ok := bill["metadata"].(map[string]any)
		if !ok {
			return fmt.Errorf("%s has no metadata", path)
		}
		tools, ok := meta["tools"].([]any)
		if !ok {
			return fmt.Errorf("%s does not name its tools", path)
		}
		for _, t := range tools {
			if tool, ok := t.(map[string]any); ok {
				delete(tool, "hashes")
			}
		}
		text, err := toJSON(bill)
		if err != nil {
			return err
		}
		if err := writeFile(path, text); err != nil {
			return err
		}
	}
	return nil
}
