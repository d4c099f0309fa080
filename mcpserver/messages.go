package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/session"

	"github.com/glasstty/glasstty/session/text"
)

const listMessagesDoc = `List the inputs and outputs of a session as messages, oldest first: one input for each call that typed, one output for all text between two inputs. Use it to review what happened, and read_output for new output.
It never waits and changes nothing. It returns id, type, created_at and byte_size of each; get_message returns their text.`

const getMessageDoc = `Get the text of messages from list_messages: exact past inputs and outputs. Of a secret typed at a password prompt, only the length is kept.
It never waits and changes nothing. It returns content, type, created_at and byte_size of each.`

type listMessagesArgs struct {
	oneSession
	Limit int    `json:"limit" min:"1" max:"1000" doc:"maximum number" default:"100"`
	After string `json:"after" doc:"a message id: list only later ones; default: from the oldest"`
}

type getMessageArgs struct {
	oneSession
	MessageIDs []string `json:"message_ids" need:"true" min:"1" max:"100" doc:"from list_messages"`
}

// defaultMessages is the number of messages in a list by default.
const defaultMessages = 100

type messageList struct {
	SessionID string         `json:"session_id"`
	Messages  []messageEntry `json:"messages"`
	HasMore   bool           `json:"has_more,omitempty" doc:"give the last id as after"`
	Ended     string         `json:"ended,omitempty" doc:"why the server ended the session"`
}

type messageEntry struct {
	ID        string  `json:"id"`
	Type      string  `json:"type" enum:"input,output"`
	By        string  `json:"by,omitempty" enum:"agent,person" doc:"who typed an input"`
	CreatedAt float64 `json:"created_at" doc:"Unix seconds"`
	ByteSize  int     `json:"byte_size"`
}

type messageTexts struct {
	Messages []messageText `json:"messages"`
}

type messageText struct {
	messageEntry
	SessionID string `json:"session_id"`
	Content   string `json:"content"`
}

func handleListMessages(_ context.Context, c *call, s *session.Session, in *listMessagesArgs) (*answer, error) {
	list, more, err := s.Messages(in.After, cmp.Or(in.Limit, defaultMessages))
	if err != nil {
		return nil, err
	}
	out := messageList{SessionID: c.srv.ref(s.ID()), Messages: []messageEntry{}, HasMore: more, Ended: s.Facts().Ended}
	var b strings.Builder
	for _, m := range list {
		out.Messages = append(out.Messages, newMessage(m))
		fmt.Fprintf(&b, "%s %s, %d bytes, %s\n", m.ID, typeText(m), m.Size, m.CreatedAt().UTC().Format("15:04:05.000"))
	}
	next := ""
	if more {
		next = "has_more; give after " + list[len(list)-1].ID
	}
	status := bracket([]string{out.SessionID, plural(len(list), "message"), next, out.Ended})
	return &answer{text: withStatus(status, b.String()), data: out}, nil
}

func handleGetMessage(_ context.Context, c *call, s *session.Session, in *getMessageArgs) (*answer, error) {
	list, err := s.MessageTexts(in.MessageIDs)
	if err != nil {
		return nil, err
	}
	out := messageTexts{Messages: []messageText{}}
	for _, m := range list {
		out.Messages = append(out.Messages, messageText{newMessage(m), c.srv.ref(s.ID()), m.Content})
	}
	status := bracket([]string{c.srv.ref(s.ID()), plural(len(list), "message"), s.Facts().Ended})
	return &answer{text: withStatus(status, historyText(list)), data: out}, nil
}

// historyText renders messages, each after a line with its id and type.
func historyText(list []session.Message) string {
	var b strings.Builder
	for _, m := range list {
		head, content := "", m.Content
		if i := strings.IndexByte(content, '\n'); m.Left > 0 && i >= 0 {
			head, content = content[:i+1], content[i+1:] // head is our line about the bytes left out
		}
		fmt.Fprintf(&b, "[%s %s]\n%s%s", m.ID, typeText(m), head, text.MarkProgram(content, true))
		if m.Content != "" && !strings.HasSuffix(m.Content, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// newMessage returns the structured content for m, without the message's content.
func newMessage(m session.Message) messageEntry {
	out := messageEntry{ID: m.ID, Type: m.Type, CreatedAt: unixSeconds(m.CreatedAt()), ByteSize: m.Size}
	switch {
	case m.Type != session.MessageInput:
	case m.Person != "":
		out.By = "person"
	default:
		out.By = "agent"
	}
	return out
}

// typeText returns the type of a message and the person who typed it, if any.
func typeText(m session.Message) string {
	if m.Person == "" {
		return string(m.Type)
	}
	return string(m.Type) + " by " + m.Person
}
