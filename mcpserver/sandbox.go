package mcpserver

import (
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/sandbox"
)

// sandboxText describes a sandbox in one line for the model.
func sandboxText(s *sandbox.State) string {
	text := string(s.Backend)
	if s.Strict {
		text += ", strict"
	}
	text += ", writes " + strings.Join(append(append([]string{}, s.Write...), "$TMPDIR"), " ") + ", network " + string(s.Network)
	if len(s.Ports) > 0 {
		text += " " + strings.Trim(fmt.Sprint(s.Ports), "[]")
	}
	if len(s.Missing) > 0 {
		text += "; not enforced: " + strings.Join(s.Missing, "; ")
	}
	if len(s.Withheld) > 0 {
		text += "; variables withheld: " + strings.Join(s.Withheld, " ")
	}
	return text
}
