package session

import (
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/reply"
)

// The Manager's mask hides secrets in everything that leaves a session. Package state masks lines
// and screens, package reply masks replies, package replay masks recordings, and Hide masks single
// texts. Decisions (about echoes, prompts and danger) read the unmasked text.

// mask returns the mask that hides secrets, or nil.
func (m *Manager) mask() *mask.Mask {
	if m == nil { // as for a server that starts no sessions
		return nil
	}
	return m.opt.Mask
}

// logMask returns the mask that hides secrets in logs, or nil.
func (m *Manager) logMask() *mask.Mask {
	if m.opt.MaskLog {
		return m.mask()
	}
	return nil
}

// Hide returns text with its secrets hidden, if Options.Mask is set.
func (m *Manager) Hide(text string) string { return m.mask().Text(text) }

// HidesSecrets reports whether Options.Mask is set.
func (m *Manager) HidesSecrets() bool { return m.mask() != nil }

// hide hides the secrets in a session's facts, except Cwd and Foreground, which Session.Info adds.
func (i *Info) hide(m *mask.Mask) {
	if m == nil {
		return
	}
	words := m.Words(append([]string{i.Command}, i.Args...))
	i.Command, i.Args = words[0], words[1:]
	for _, p := range []*string{&i.Name, &i.Title} {
		*p = m.Text(*p)
	}
	reply.HideCommand(m, i.LastCommand)
}

// logged returns n in the form in which it is logged: with secrets hidden if Options.MaskLog is set.
func (m *Manager) logged(n *eventlog.InputNote) *eventlog.InputNote {
	if n.Text == nil {
		return n
	}
	text := m.logMask().Text(*n.Text)
	hidden := *n
	hidden.Text = &text
	return &hidden
}
