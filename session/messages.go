package session

import (
	"fmt"

	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/state"
)

// logMessagesLocked applies and logs messages.
func (s *Session) logMessagesLocked(list []state.Message) {
	for _, m := range list {
		e := eventlog.NewNote(eventlog.NoteMessage, m.MessageNote)
		s.child.Note(*e)
		s.state.Apply(m.CreatedAt(), e)
	}
}

// Messages returns up to limit messages after the message whose id is after, or the oldest ones if after is
// empty; more reports whether others follow. The session's last message may be output that still grows.
// Contents that are only in the log are missing: MessageTexts returns them.
func (s *Session) Messages(after string, limit int) (list []state.Message, more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.state.AllMessages()
	if after != "" {
		i, err := state.FindMessage(all, after, s.id)
		if err != nil {
			return nil, false, fmt.Errorf("%w: %w", ErrArgument, err)
		}
		all = all[i+1:]
	}
	if len(all) > limit {
		return all[:limit], true, nil
	}
	return all, false, nil
}

// MessageTexts returns the messages with these ids, in the order of ids, with their contents. A content
// that is no longer kept is replaced by a note.
func (s *Session) MessageTexts(ids []string) ([]state.Message, error) {
	all := locked(s, s.state.AllMessages)
	var list []state.Message
	missing := map[string]string{}
	for _, id := range ids {
		i, err := state.FindMessage(all, id, s.id)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrArgument, err)
		}
		if list = append(list, all[i]); all[i].ContentInLog {
			missing[id] = "(no longer kept: " + s.m.opt.logLimit(s.child.Log()) + ")"
		}
	}
	if len(missing) == 0 {
		return list, nil
	}
	r, err := s.Recording()
	if err != nil {
		return nil, err
	}
	err = r.Messages(func(n eventlog.MessageNote) {
		if _, ok := missing[n.ID]; ok {
			missing[n.ID] = s.m.Hide(n.Content)
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if text, ok := missing[list[i].ID]; ok {
			list[i].Content = text
		}
	}
	return list, nil
}
