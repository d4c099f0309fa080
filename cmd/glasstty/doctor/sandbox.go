package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/sandbox"
)

// boxes reports what a sandbox can enforce on this machine.
func boxes(context.Context, *patient) Finding {
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
		text += "; --sandbox-network=private cannot be had"
	}
	if missing := s.Missing(sandbox.Policy{}); len(missing) > 0 {
		return warn("--sandbox would not enforce "+strings.Join(missing, "; "), "use a newer kernel, or a container; --sandbox=strict refuses to start without")
	}
	return ok(text)
}
