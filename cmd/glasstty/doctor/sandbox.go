package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/sandbox"
)

// sandboxing checks which parts of a sandbox this machine can enforce.
func sandboxing(context.Context, *machine) Finding {
	s := sandbox.Probe()
	if s.System != "" {
		return skip(s.System)
	}
	text := fmt.Sprintf("Landlock %d, seccomp", s.Landlock)
	if s.Bwrap == "" {
		text += "; bwrap is not installed"
	} else {
		text += ", " + s.Bwrap
	}
	if !s.Networks {
		text += "; --sandbox-network=private is not available"
	}
	if missing := s.Missing(sandbox.Policy{}); len(missing) > 0 {
		return warn("--sandbox would not enforce "+strings.Join(missing, "; "), "use a newer kernel or a container; until then, --sandbox=strict refuses to start")
	}
	return ok(text)
}
