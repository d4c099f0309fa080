package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/session/eventlog"
)

// TestMessageLogLimits checks a log of more messages, and larger ones, than are kept.
func TestMessageLogLimits(t *testing.T) {
	var l MessageLog
	for i := range MaxMessages + 10 {
		l.add(Message{MessageNote: eventlog.MessageNote{ID: MessageID(int64(i)), Type: MessageInput, Content: fmt.Sprint(i)}})
	}
	if n := len(l.Messages); n != MaxMessages || l.Messages[0].ID != "m10" || l.Messages[0].Content != "10" {
		t.Errorf("%d messages kept, the first %+v", n, l.Messages[0])
	}
	var cut Message
	cut.CutContent(strings.Repeat("é", maxMessageBytes), 0)
	big := cut.Content
	if len(big) > maxMessageBytes+100 || !strings.HasPrefix(big, fmt.Sprintf("… %d bytes left out …\né", maxMessageBytes)) {
		t.Errorf("a content of %d bytes is cut to %d, beginning %q", 2*maxMessageBytes, len(big), big[:60])
	}
	for range MaxMessagesSize/maxMessageBytes + 5 {
		l.add(Message{MessageNote: eventlog.MessageNote{Type: MessageOutput, Content: big}})
	}
	sum := 0
	for _, m := range l.Messages {
		if sum += len(m.Content); m.ContentInLog != (m.Content == "") {
			t.Fatalf("%+v", m)
		}
	}
	if len(l.Messages) != MaxMessages || sum > MaxMessagesSize || sum < MaxMessagesSize-len(big) {
		t.Errorf("%d messages, contents of %d bytes in memory", len(l.Messages), sum)
	}
}
