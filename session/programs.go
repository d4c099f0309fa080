package session

import (
	"fmt"

	"github.com/glasstty/glasstty/internal/danger"
)

// mayStart reports whether the Manager's options let file be started so. What is
// blocked is blocked inside the arguments too: env rm, bash -c "rm x".
func (m *Manager) mayStart(file string, o StartOptions) error {
	list := m.opt.Programs
	if list.Empty() {
		return nil
	}
	if err := list.Dir(o.Dir); err != nil {
		return fmt.Errorf("start %q in %s: %w", o.Command, o.Dir, err)
	}
	if err := list.Program(file, o.Args); err != nil {
		return fmt.Errorf("start %q: %w", o.Command, err)
	}
	if !list.Blocks() {
		return nil
	}
	for _, cmd := range danger.Commands(append([]string{file}, o.Args...)) {
		if err := list.Blocked(cmd[0], cmd[1:]); err != nil {
			return fmt.Errorf("start %q: %w", o.Command, err)
		}
	}
	return nil
}
