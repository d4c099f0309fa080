package session

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/replay"
)

// Limits of a session's message list; the oldest messages go first.
const (
	MaxMessages     = 1000
	maxMessageBytes = 256 << 10 // of one message's content; the end is kept
	maxMessagesSize = 1 << 20   // of all contents kept in memory; the others are in the log
)

// MessageType says which way a message went.
type MessageType string

// The types of message.
const (
	MessageInput  MessageType = "input"
	MessageOutput MessageType = "output"
)

// A Message is what one call typed, or what came between two inputs.
type Message struct {
	ID        string
	Type      MessageType
	Person    string // of an input: the name of the person who typed; "" for a tool call
	CreatedAt time.Time
	Size      int    // bytes of the content, with those left out; of a secret, those that were typed but Enter
	Left      int    // bytes left out at the content's beginning, which its first line says then
	Content   string // "" where only the list was asked for

	logged bool // the content is in the log alone
}

// A messageLog is a session's message list. The output since the last input is not
// in it yet: it is what the reader here has not read.
type messageLog struct {
	kept   []Message
	full   int // how many of the latest have their contents here
	size   int // bytes of these contents
	next   int64
	reader reader
	since  time.Time // of the first output after the last input, zero when none
	// shown says that the output since the last input was listed under the next
	// id, which it must keep.
	shown bool
}

// messageID returns the id of message number n.
func messageID(n int64) string { return fmt.Sprintf("m%d", n) }

// add appends a message, forgets the oldest, and the contents of the next oldest:
// the log has them. It returns the message with its id.
func (l *messageLog) add(m Message) Message {
	m.ID = messageID(l.next)
	l.next++
	l.keep(m)
	return m
}

// keep appends a message that has its id.
func (l *messageLog) keep(m Message) {
	l.kept = append(l.kept, m)
	l.size += len(m.Content)
	l.full++
	if len(l.kept) > MaxMessages {
		if l.full == len(l.kept) {
			l.drop()
		}
		l.kept = l.kept[1:]
	}
	for l.size > maxMessagesSize {
		l.drop()
	}
}

// drop forgets the oldest content in memory.
func (l *messageLog) drop() {
	m := &l.kept[len(l.kept)-l.full]
	l.size -= len(m.Content)
	m.Content, m.logged = "", true
	l.full--
}

// cutContent puts a text of which the first left bytes are not there into the message,
// and of it only the end where it is too long.
func (m *Message) cutContent(text string, left int) {
	over := max(len(text)-maxMessageBytes, 0)
	if m.Left = left + over; m.Left > 0 {
		text = fmt.Sprintf("… %d bytes left out …\n%s", m.Left, strings.ToValidUTF8(text[over:], ""))
	}
	m.Content = text
}

// noteOutputLocked notes when the output after the last input began.
func (s *Session) noteOutputLocked(now time.Time) {
	if s.messages.since.IsZero() {
		s.messages.since = now
	}
}

// addMessageLocked appends a message, to the log too.
func (s *Session) addMessageLocked(m Message) {
	s.noteLocked(replay.NoteMessage, m.note(s.messages.add(m).ID))
}

// note returns the message as the log has it.
func (m Message) note(id string) replay.MessageNote {
	return replay.MessageNote{
		ID: id, Type: string(m.Type), Person: m.Person,
		At: m.CreatedAt.UnixMicro(), Size: m.Size, Left: m.Left, Content: m.Content,
	}
}

// messageOf returns the message that the log has.
func messageOf(n replay.MessageNote) Message {
	return Message{
		ID: n.ID, Type: MessageType(n.Type), Person: n.Person,
		CreatedAt: time.UnixMicro(n.At), Size: n.Size, Left: n.Left, Content: n.Content,
	}
}

// heardLocked takes a message that the log has.
func (s *Session) heardLocked(m Message) {
	n, err := strconv.ParseInt(strings.TrimPrefix(m.ID, "m"), 10, 64)
	if err != nil {
		return
	}
	l := &s.messages
	if n < l.next {
		return // a checkpoint has it
	}
	l.next = n + 1
	l.keep(m)
	s.moveToEndLocked(&l.reader)
	l.since, l.shown = time.Time{}, false
}

// endMessagesLocked appends the output that came since the last input.
func (s *Session) endMessagesLocked() {
	if m, ok := s.pendingLocked(); ok || s.messages.shown {
		s.addMessageLocked(m)
		s.moveToEndLocked(&s.messages.reader)
		s.messages.since, s.messages.shown = time.Time{}, false
	}
}

// noteInputLocked appends the output that came before call, then call itself.
func (s *Session) noteInputLocked(now time.Time, call *typing) {
	l := &s.messages
	s.endMessagesLocked()
	s.moveToEndLocked(&l.reader)
	l.since, l.shown = time.Time{}, false
	content, size := s.hide(readable(call.data)), len(call.data)
	if call.secret {
		size = secretLen(call.data)
		content = fmt.Sprintf("(secret, %d bytes)", size)
	}
	m := Message{Type: MessageInput, Person: call.person(), CreatedAt: now, Size: size}
	m.cutContent(content, 0)
	s.addMessageLocked(m)
}

// secretLen is all that is told of a secret that was typed: its length in bytes,
// without the Enter that ends it.
func secretLen(data []byte) int { return len(bytes.TrimRight(data, "\r\n")) }

// pendingLocked returns the output since the last input as a message, and
// whether there is any. Of a program that owns the screen it is the screen.
func (s *Session) pendingLocked() (Message, bool) {
	l := &s.messages
	if l.since.IsZero() {
		return Message{ID: messageID(l.next), Type: MessageOutput}, false
	}
	reason := detect.Returned
	if s.promptStartLocked() >= 0 {
		reason = detect.Prompt
	}
	text := joinAll(s.outputLocked(l.reader.line, l.reader.given, l.reader.begun, reason))
	if s.fullScreenLocked() {
		text = strings.TrimPrefix(text+"\n"+s.shotLocked(0).Text(), "\n")
	}
	var dropped int // what is no longer kept
	if first := s.term.FirstLine(); l.reader.line < first {
		dropped = int(s.term.TextBefore(first) - l.reader.before)
	}
	m := Message{ID: messageID(l.next), Type: MessageOutput, CreatedAt: l.since, Size: dropped + len(text)}
	m.cutContent(text, dropped)
	return m, m.Content != ""
}

// readable returns typed bytes as text: Enter as a line feed, other control
// characters as ^X.
func readable(data []byte) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(string(data), "\uFFFD") {
		switch {
		case r == '\r' || r == '\n':
			b.WriteByte('\n')
		case r == 0x7f:
			b.WriteString("^?")
		case r < ' ' && r != '\t':
			b.WriteByte('^')
			b.WriteRune(r + '@')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Messages returns up to limit messages after the one with the id after, or from
// the oldest when that is empty; more says that there are further ones. The last
// may be output that still grows. Their contents come from MessageTexts.
func (s *Session) Messages(after string, limit int) (list []Message, more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.allMessagesLocked()
	if after != "" {
		i, err := s.findMessage(all, after)
		if err != nil {
			return nil, false, err
		}
		all = all[i+1:]
	}
	if len(all) > limit {
		return all[:limit], true, nil
	}
	return all, false, nil
}

// MessageTexts returns the messages with these ids, in their order, with their
// contents.
func (s *Session) MessageTexts(ids []string) ([]Message, error) {
	list, err := s.pickMessages(ids)
	if err != nil {
		return nil, err
	}
	missing := map[string]string{}
	for _, m := range list {
		if m.logged {
			missing[m.ID] = "(no longer kept: " + s.logLimit() + ")"
		}
	}
	if err := s.readContents(missing); err != nil {
		return nil, err
	}
	for i := range list {
		if text, ok := missing[list[i].ID]; ok {
			list[i].Content = text
		}
	}
	return list, nil
}

// pickMessages returns the messages with these ids as they are in memory.
func (s *Session) pickMessages(ids []string) ([]Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.allMessagesLocked()
	var list []Message
	for _, id := range ids {
		i, err := s.findMessage(all, id)
		if err != nil {
			return nil, err
		}
		list = append(list, all[i])
	}
	return list, nil
}

// readContents fills the contents of messages, by id, from the log.
func (s *Session) readContents(missing map[string]string) error {
	if len(missing) == 0 {
		return nil
	}
	r, err := s.openReplay()
	if err != nil {
		return err
	}
	return r.Messages(func(n replay.MessageNote) {
		if _, ok := missing[n.ID]; ok {
			missing[n.ID] = s.hide(n.Content)
		}
	})
}

// allMessagesLocked returns a copy of the list, with the output that came since
// the last input.
func (s *Session) allMessagesLocked() []Message {
	l := &s.messages
	all := append(make([]Message, 0, len(l.kept)+1), l.kept...)
	if m, ok := s.pendingLocked(); ok || l.shown {
		l.shown = true
		all = append(all, m)
	}
	return all
}

// findMessage returns the index of the message with this id.
func (s *Session) findMessage(all []Message, id string) (int, error) {
	for i, m := range all {
		if m.ID == id {
			return i, nil
		}
	}
	kept := "there are none yet"
	if n := len(all); n > 0 {
		kept = fmt.Sprintf("kept are %s to %s; list_messages shows them", all[0].ID, all[n-1].ID)
	}
	return 0, fmt.Errorf("%w: no message %q in session %s; %s", ErrArgument, id, s.id, kept)
}
