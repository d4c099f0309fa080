package mcpserver

import (
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
	SessionID string `json:"session_id" need:"true" doc:"id or name"`
	Limit     *int   `json:"limit" min:"1" max:"1000" doc:"maximum number" default:"100"`
	After     string `json:"after" doc:"a message id: only later ones; default from the oldest"`
}

type getMessageArgs struct {
	SessionID  string   `json:"session_id" need:"true" doc:"id or name"`
	MessageIDs []string `json:"message_ids" need:"true" min:"1" max:"100" doc:"from list_messages"`
}

// defaultMessages is how many messages a list shows.
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
	ID        string  `json:"id"`
	SessionID string  `json:"session_id"`
	Type      string  `json:"type" enum:"input,output"`
	By        string  `json:"by,omitempty" enum:"agent,person" doc:"who typed an input"`
	Content   string  `json:"content"`
	CreatedAt float64 `json:"created_at" doc:"Unix seconds"`
	ByteSize  int     `json:"byte_size"`
}

func listMessages() tool {
	return newTool[listMessagesArgs, messageList]("list_messages", listMessagesDoc, hints{readOnly: true}, handleListMessages)
}

func getMessage() tool {
	return newTool[getMessageArgs, messageTexts]("get_message", getMessageDoc, hints{readOnly: true}, handleGetMessage)
}

func handleListMessages(_ context.Context, c *call, in *listMessagesArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	limit := defaultMessages
	if in.Limit != nil {
		limit = *in.Limit
	}
	list, more, err := s.Messages(in.After, limit)
	if err != nil {
		return nil, err
	}
	out := messageList{SessionID: s.ID(), Messages: []messageEntry{}, HasMore: more, Ended: s.Facts().Ended}
	var b strings.Builder
	for _, m := range list {
		out.Messages = append(out.Messages, messageEntry{
			ID: m.ID, Type: string(m.Type), By: by(m), CreatedAt: unixSeconds(m.CreatedAt), ByteSize: m.Size,
		})
		fmt.Fprintf(&b, "%s %s, %d bytes, %s\n", m.ID, typeText(m), m.Size, m.CreatedAt.UTC().Format("15:04:05.000"))
	}
	parts := []string{s.ID(), plural(len(list), "message")}
	if more {
		parts = append(parts, "has_more; give after "+list[len(list)-1].ID)
	}
	return &answer{text: withStatus(bracket(withEnd(parts, s)), b.String()), data: out}, nil
}

func handleGetMessage(_ context.Context, c *call, in *getMessageArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	list, err := s.MessageTexts(in.MessageIDs)
	if err != nil {
		return nil, err
	}
	out := messageTexts{Messages: []messageText{}}
	for _, m := range list {
		out.Messages = append(out.Messages, messageText{
			ID: m.ID, SessionID: s.ID(), Type: string(m.Type), By: by(m), Content: valid(m.Content),
			CreatedAt: unixSeconds(m.CreatedAt), ByteSize: m.Size,
		})
	}
	status := bracket(withEnd([]string{s.ID(), plural(len(list), "message")}, s))
	return &answer{text: withStatus(status, historyText(list)), data: out}, nil
}

// historyText renders messages one after the other, each below a line with its id and type.
func historyText(list []session.Message) string {
	var b strings.Builder
	for _, m := range list {
		head, content := "", valid(m.Content)
		if i := strings.IndexByte(content, '\n'); m.Left > 0 && i >= 0 {
			head, content = content[:i+1], content[i+1:]
		}
		fmt.Fprintf(&b, "[%s %s]\n%s%s", m.ID, typeText(m), head, text.MarkProgram(content, true))
		if m.Content != "" && !strings.HasSuffix(m.Content, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// by returns the author of an input: agent, person, or "" for output.
func by(m session.Message) string {
	switch {
	case m.Type != session.MessageInput:
		return ""
	case m.Person != "":
		return "person"
	}
	return "agent"
}

// typeText names a message's type, and a person who typed it.
func typeText(m session.Message) string {
	if m.Person == "" {
		return string(m.Type)
	}
	return string(m.Type) + " by " + valid(m.Person)
}
