//go:build tools

// Package zoo keeps the programs of other authors that the zoo builds in go.mod.
package zoo

import (
	_ "github.com/charmbracelet/gum"
	_ "github.com/junegunn/fzf"
)
