package session

import (
	"fmt"
	"strings"
	"testing"
)

func TestMessageLogLimits(t *testing.T) {
	var l messageLog
	for i := range MaxMessages + 10 {
		l.add(Message{Type: MessageInput, Content: fmt.Sprint(i)})
	}
	if n := len(l.kept); n != MaxMessages || l.kept[0].ID != "m10" || l.kept[0].Content != "10" {
		t.Errorf("%d messages kept, the first %+v", n, l.kept[0])
	}
	var cut Message
	cut.cutContent(strings.Repeat("é", maxMessageBytes), 0)
	big := cut.Content
	if len(big) > maxMessageBytes+100 || !strings.HasPrefix(big, fmt.Sprintf("… %d bytes left out …\né", maxMessageBytes)) {
		t.Errorf("a content of %d bytes is cut to %d, beginning %q", 2*maxMessageBytes, len(big), big[:60])
	}
	for range maxMessagesSize/maxMessageBytes + 5 {
		l.add(Message{Type: MessageOutput, Content: big})
	}
	sum, full := 0, 0
	for _, m := range l.kept {
		if sum += len(m.Content); m.logged != (m.Content == "") {
			t.Fatalf("%+v", m)
		}
		if !m.logged {
			full++
		}
	}
	if len(l.kept) != MaxMessages || full != l.full || sum != l.size || sum > maxMessagesSize || sum < maxMessagesSize-len(big) {
		t.Errorf("%d messages, contents of %d bytes in memory, counted as %d; %d have one, counted as %d", len(l.kept), sum, l.size, full, l.full)
	}
}

func TestReadable(t *testing.T) {
	for in, want := range map[string]string{
		"ls -l\r":           "ls -l\n",
		"\x03":              "^C",
		"\x1b[A\x7f\t":      "^[[A^?\t",
		"日本\r\n":            "日本\n\n",
		"bad \xff":          "bad \uFFFD",
		"\x1b[200~x\x1b[2~": "^[[200~x^[[2~",
	} {
		if got := readable([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
