package doctor

import (
	"context"
	"time"

	"github.com/glasstty/glasstty/session"
)

// A Grade is the severity of a Finding.
type Grade string

// The grades.
const (
	OK      Grade = "ok"
	Warning Grade = "warn" // glasstty works in part
	Broken  Grade = "FAIL" // glasstty cannot work
	Skipped Grade = "skip" // the check does not apply to this machine, or its program is not installed
)

// A Finding is the result of one check.
type Finding struct {
	Name   string
	Grade  Grade
	Text   string // what was found
	Remedy string // what to do about the problem; "" without a problem or a remedy
}

// checkLimit is the time limit for one check. Indexing a system's fonts can take some seconds.
const checkLimit = 30 * time.Second

// A machine holds what the checks use.
type machine struct {
	mgr    *session.Manager // runs programs
	socket string           // the path of the socket of serve
}

// A check is one test of the machine.
type check struct {
	name string
	run  func(context.Context, *machine) Finding
}

// checks returns all checks in order.
func checks() []check {
	all := []check{
		{"terminals", terminals},
		{"waiting", waiting},
		{"passwords", passwords},
		{"descendants", descendants},
		{"sandbox", sandboxing},
	}
	for _, shell := range []string{"sh", "bash", "zsh", "fish"} {
		all = append(all, check{shell, func(ctx context.Context, m *machine) Finding { return marks(ctx, m, shell) }})
	}
	return append(all,
		check{"terminfo", terminfo},
		check{"locale", locale},
		check{"fonts", fonts},
		check{"temporary files", temporary},
		check{"socket", socket},
		check{"cache", cache},
	)
}

// Examine runs all checks and passes each Finding to report. It starts programs in sessions of
// mgr and ends them. socket is the path that serve would use.
func Examine(ctx context.Context, mgr *session.Manager, socket string, report func(Finding)) {
	m := &machine{mgr: mgr, socket: socket}
	for _, c := range checks() {
		if ctx.Err() != nil {
			return
		}
		cctx, cancel := context.WithTimeout(ctx, checkLimit)
		f := c.run(cctx, m)
		cancel()
		f.Name = c.name
		report(f)
	}
}

// ok returns a Finding without a problem.
func ok(text string) Finding { return Finding{Grade: OK, Text: text} }

// warn returns a Finding with a problem that limits glasstty.
func warn(text, todo string) Finding { return Finding{Grade: Warning, Text: text, Remedy: todo} }

// broken returns a Finding that something essential is missing.
func broken(text, todo string) Finding { return Finding{Grade: Broken, Text: text, Remedy: todo} }

// skip returns a Finding that the check was skipped, and why.
func skip(text string) Finding { return Finding{Grade: Skipped, Text: text} }
