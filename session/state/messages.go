package state

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/text"
)

// Limits on a session's message list. The oldest messages are removed first.
const (
	MaxMessages     = 1000
	maxMessageBytes = 256 << 10 // bytes of one message's content; the beginning of a longer content is left out
	MaxMessagesSize = 1 << 20   // bytes of all contents in memory; older contents are only in the log
)

// The types of message.
const (
	MessageInput  = "input"
	MessageOutput = "output"
)

// A Message is what one call or person typed, or the output between two inputs.
type Message struct {
	eventlog.MessageNote
	ContentInLog bool // the content was removed from memory: only the log has it
}

// CreatedAt returns the time of the message.
func (m Message) CreatedAt() time.Time { return time.UnixMicro(m.At) }

// A MessageLog is a session's message list. It does not contain the output since the last
// input. That output begins at Reader.
type MessageLog struct {
	Messages []Message
	Next     int64 // the number of the next message
	Reader   Reader
	Since    time.Time // when the first output after the last message came; zero if there is none
	// Shown reports that the output since the last input was listed with the number Next. That
	// message must keep its ID, even if the output is erased.
	Shown bool
}

// MessageID returns the ID of message number n.
func MessageID(n int64) string { return fmt.Sprintf("m%d", n) }

// add appends a message. Beyond MaxMessages it removes the oldest messages. Beyond MaxMessagesSize it
// removes the oldest contents, which are still in the log.
func (l *MessageLog) add(m Message) {
	l.Messages = append(l.Messages, m)
	l.Messages = l.Messages[max(0, len(l.Messages)-MaxMessages):]
	size := 0
	for i := range slices.Backward(l.Messages) {
		m := &l.Messages[i]
		if size += len(m.Content); size > MaxMessagesSize && !m.ContentInLog {
			m.Content, m.ContentInLog = "", true
		}
	}
}

// personsPause is the longest pause between two keys that a person types into one message.
// maxPersonsLine is the greatest length of such a message, in bytes.
const (
	personsPause   = 2 * time.Second
	maxPersonsLine = 1 << 10
)

// continuedBy returns the last message if m continues its line, otherwise nil: the same person must
// have begun the line and typed shortly before. typed is the time of the last input.
func (l *MessageLog) continuedBy(m Message, typed time.Time) *Message {
	if m.Person == "" || len(l.Messages) == 0 {
		return nil
	}
	last := &l.Messages[len(l.Messages)-1]
	if last.Type != MessageInput || last.Person != m.Person || last.ContentInLog || strings.HasSuffix(last.Content, "\n") ||
		m.CreatedAt().Sub(typed) > personsPause || last.Size+m.Size > maxPersonsLine {
		return nil
	}
	return last
}

// CutContent sets the content to a text, or to the end of a text that is too long. left is the number
// of bytes that are missing before the text. If bytes are left out, the first line of the content
// says how many.
func (m *Message) CutContent(text string, left int) {
	over := max(len(text)-maxMessageBytes, 0)
	if m.Left = left + over; m.Left > 0 {
		text = fmt.Sprintf("… %d bytes left out …\n%s", m.Left, strings.ToValidUTF8(text[over:], ""))
	}
	m.Content = text
}

// applyMessage applies a message from the log.
func (s *State) applyMessage(m Message) {
	n, err := strconv.ParseInt(strings.TrimPrefix(m.ID, "m"), 10, 64)
	if err != nil {
		return
	}
	l := &s.Messages
	if n < l.Next {
		if i := len(l.Messages) - 1; n == l.Next-1 && i >= 0 && l.Messages[i].ID == m.ID && !l.Messages[i].ContentInLog {
			last := &l.Messages[i] // a person continued the line
			last.Content, last.Size = m.Content, m.Size
		}
		return // the saved state contains the message
	}
	l.Next = n + 1
	l.add(m)
	s.MoveToEnd(&l.Reader)
	l.Since, l.Shown = time.Time{}, false
}

// LastOutputMessage returns the message of the output since the last input. It returns nil if there
// is no output and AllMessages has not listed any. For a full-screen program, the content is the new
// lines of the scrollback, followed by the screen.
func (s *State) LastOutputMessage() []Message {
	l := &s.Messages
	m := Message{MessageNote: eventlog.MessageNote{ID: MessageID(l.Next), Type: MessageOutput}}
	if !l.Since.IsZero() {
		s.fillOutput(&m)
	}
	if m.Content == "" && !l.Shown {
		return nil
	}
	return []Message{m}
}

// fillOutput sets the time, the size and the content of the message for the output since the
// last input.
func (s *State) fillOutput(m *Message) {
	l := &s.Messages
	reason := detect.Returned
	if s.PromptStart(false) >= 0 {
		reason = detect.Prompt
	}
	lines, source := s.Unseen(&l.Reader, reason)
	content := text.JoinAll(lines)
	if s.Term.FullScreen() {
		if !s.Term.AltScreen() { // the rows are on the screen
			lines = slices.DeleteFunc(lines, func(l text.OutputLine) bool { return l.Number >= source.Screen })
		}
		content = strings.TrimPrefix(text.JoinAll(lines)+"\n"+s.Snapshot(0).Text(), "\n")
	}
	var dropped int // bytes of lines that the scrollback has dropped
	if first := s.Term.FirstLine(); l.Reader.Seen.Line < first {
		dropped = int(max(s.Term.BytesBefore(first)-l.Reader.Before, 0))
	}
	m.At, m.Size = l.Since.UnixMicro(), dropped+len(content)
	m.CutContent(content, dropped)
}

// MessagesFor returns the messages that an input adds: the output before the input, and the input.
// If a person continues a line, and the input is not secret, it returns one message for the whole line.
func (s *State) MessagesFor(in Message, secret bool) []Message {
	if last := s.Messages.continuedBy(in, s.Last.Time); last != nil && !secret {
		longer := *last
		longer.Content, longer.Size = last.Content+in.Content, last.Size+in.Size
		return []Message{longer}
	}
	list := s.LastOutputMessage()
	in.ID = MessageID(s.Messages.Next + int64(len(list)))
	return append(list, in)
}

// AllMessages returns a copy of the list, with the output since the last input at its end.
func (s *State) AllMessages() []Message {
	l := &s.Messages
	more := s.LastOutputMessage()
	l.Shown = len(more) > 0
	return slices.Concat(l.Messages, more)
}

// SecretLen returns the length in bytes of a typed secret, without the Enter that ends it.
// Nothing else about a secret is recorded.
func SecretLen(data []byte) int { return len(bytes.TrimRight(data, "\r\n")) }

// FindMessage returns the index of the message with this ID. The error names session.
func FindMessage(all []Message, id, session string) (int, error) {
	for i, m := range all {
		if m.ID == id {
			return i, nil
		}
	}
	available := "there are none yet"
	if n := len(all); n > 0 {
		available = fmt.Sprintf("kept are %s to %s; list_messages shows them", all[0].ID, all[n-1].ID)
	}
	return 0, fmt.Errorf("no message %q in session %s; %s", id, session, available)
}
