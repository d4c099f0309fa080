package session

import (
	"fmt"
	"path/filepath"

	"github.com/glasstty/glasstty/internal/danger"
)

// mayStart reports whether the Manager's options let file be started so, and returns
// the file that is judged, without links where there are lists: it is the one to
// execute, as a link may lead elsewhere by then. What is blocked is blocked inside the
// arguments too: env rm, bash -c "rm x". o.Dir has no links.
func (m *Manager) mayStart(file string, o StartOptions) (runs string, err error) {
	list := m.opt.Programs
	if list.Empty() {
		return file, nil
	}
	if err := list.Dir(o.Dir); err != nil {
		return "", fmt.Errorf("start %q in %s: %w", o.Command, o.Dir, err)
	}
	if runs, err = filepath.EvalSymlinks(file); err != nil {
		return "", fmt.Errorf("%w %q: %w", ErrCommand, o.Command, err)
	}
	err = list.Program(runs, o.Args)
	if err == nil {
		err = list.Blocked(file, o.Args) // by the name that it is called by
	}
	if err != nil {
		return "", fmt.Errorf("start %q: %w", o.Command, err)
	}
	if !list.Blocks() {
		return runs, nil
	}
	for _, cmd := range danger.Commands(append([]string{file}, o.Args...)) {
		if err := list.Blocked(cmd[0], cmd[1:]); err != nil {
			return "", fmt.Errorf("start %q: %w", o.Command, err)
		}
	}
	return runs, nil
}
