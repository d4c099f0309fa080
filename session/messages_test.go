package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/emulator"
)

func TestMessageLogLimits(t *testing.T) {
	var l messageLog
	for i := range MaxMessages + 10 {
		l.add(Message{Type: MessageInput, Content: fmt.Sprint(i)})
	}
	if n := len(l.kept); n != MaxMessages || l.kept[0].ID != "m10" || l.kept[0].Content != "10" {
		t.Errorf("%d messages kept, the first %+v", n, l.kept[0])
	}
	big := cutContent(strings.Repeat("é", maxMessageBytes))
	if len(big) > maxMessageBytes+100 || !strings.HasPrefix(big, fmt.Sprintf("… %d bytes left out …\né", maxMessageBytes)) {
		t.Errorf("a content of %d bytes is cut to %d, beginning %q", 2*maxMessageBytes, len(big), big[:60])
	}
	for range maxMessagesSize/maxMessageBytes + 5 {
		l.add(Message{Type: MessageOutput, Content: big})
	}
	sum := 0
	for _, m := range l.kept {
		sum += len(m.Content)
	}
	if sum != l.size || sum > maxMessagesSize || sum < maxMessagesSize-len(big) {
		t.Errorf("contents of %d bytes kept, counted as %d", sum, l.size)
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

func TestCastWriterKeepsCharactersWhole(t *testing.T) {
	for _, tt := range []struct {
		in   []string
		want []string
	}{
		{[]string{"a", "b"}, []string{`"a"`, `"b"`}},
		{[]string{"\xe6\x97", "\xa5x"}, []string{`"日x"`}},
		{[]string{"a\xe6", "\x97", "\xa5"}, []string{`"a"`, `"日"`}},
		{[]string{"a\xff", "b"}, []string{`"a` + "\\ufffd" + `"`, `"b"`}},
	} {
		var b strings.Builder
		var s Session
		s.opt.Command = "x"
		start := time.Unix(1000, 0)
		s.rec.now = segment{start: start}
		for i, p := range tt.in {
			s.rec.add(start.Add(time.Duration(i)*time.Second), 'o', []byte(p))
		}
		if err := s.rec.write(&b, "x", ""); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")[1:]
		var got []string
		for _, l := range lines {
			parts := strings.SplitN(strings.Trim(l, "[]"), ",", 3)
			got = append(got, parts[2])
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%q: %v, want %v", tt.in, got, tt.want)
		}
	}
}

// TestRecordingKeepsTheLatest records more than is kept: the recording stays
// bounded, and played from its start it ends in the session's screen.
func TestRecordingKeepsTheLatest(t *testing.T) {
	size := emulator.Size{Rows: 5, Cols: 40}
	s := &Session{term: emulator.New(emulator.Options{Size: size})}
	now := time.Unix(1000, 0)
	s.rec.begin(now, size)
	for i := range 6 * maxSegment / 64 {
		line := fmt.Appendf(nil, "\x1b[3%dmline %-40d\r\n", i%8, i)
		_, _ = s.term.Write(line)
		s.recordLocked(now.Add(time.Duration(i)*time.Millisecond), 'o', line)
	}
	var b strings.Builder
	if err := s.rec.write(&b, "x", ""); err != nil {
		t.Fatal(err)
	}
	if kept := len(s.rec.old.data) + len(s.rec.now.data); kept > 2*maxSegment || kept < maxSegment/4 {
		t.Errorf("%d bytes kept", kept)
	}
	played := emulator.New(emulator.Options{Size: size})
	for i, l := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		var event []any
		if i == 0 {
			continue
		}
		if err := json.Unmarshal([]byte(l), &event); err != nil {
			t.Fatal(err)
		}
		_, _ = played.Write([]byte(event[2].(string)))
	}
	if got, want := played.Snapshot(0).Text(), s.term.Snapshot(0).Text(); got != want {
		t.Errorf("played:\n%s\nwant:\n%s", got, want)
	}
}
