package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/recording"
	"github.com/glasstty/glasstty/session/eventlog"
)

// began is the start time of the sessions in these tests.
var began = time.Unix(1767225600, 0).UTC()

const nonce = "0123456789abcdef"

// TestLiveIsRecovered checks that a State is equal in every bit whether it is built as the events
// happen, from the log, or from a state saved at any place and the rest of the log. The sessions are
// recordings with random marks, inputs, messages and verdicts.
func TestLiveIsRecovered(t *testing.T) {
	files, err := filepath.Glob("../../emulator/testdata/replay/*/session.cast.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	var recs []*recording.Recording
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := recording.Read(f)
		_ = f.Close() // it was only read
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, r)
	}
	rapid.Check(t, func(t *rapid.T) {
		rec := rapid.SampledFrom(recs).Draw(t, "recording")
		o := Options{
			Terminal: emulator.Options{Size: emulator.Size{Rows: rec.Rows, Cols: rec.Cols}},
			Pipe:     rapid.Bool().Draw(t, "pipe"), Nonce: nonce, Began: began,
		}
		g := generator{t: t, cuts: []int{0}}
		for _, e := range rec.Events[:min(len(rec.Events), 150)] {
			g.recorded(e)
		}
		live := play(New(o), g.events)
		want := encode(t, live)
		compare(t, "the log", encode(t, play(New(o), logged(t, o, g.events))), want)
		cut := rapid.SampledFrom(g.cuts).Draw(t, "cut")
		saved, err := Decode(encode(t, play(New(o), g.events[:cut])), o)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, fmt.Sprintf("a state saved after %d events", cut), encode(t, play(saved, g.events[cut:])), want)
	})
}

// A generator makes the events of a session.
type generator struct {
	t        *rapid.T
	events   []eventlog.Event
	cuts     []int // numbers of events after which no call is typing
	inputs   int64
	told     int64 // verdicts
	messages int64
}

// recorded appends an event of a recording, and a random one that may happen beside it.
func (g *generator) recorded(e recording.Event) {
	switch e.Kind {
	case recording.Resize:
		g.add(eventlog.Event{Kind: eventlog.Resize, Rows: e.Rows, Cols: e.Cols})
	case recording.Output:
		g.add(eventlog.Event{Kind: eventlog.Output, Data: e.Data})
	}
	switch rapid.IntRange(0, 9).Draw(g.t, "beside") {
	case 0, 1:
		mark := rapid.SampledFrom([]string{"A", "B", "C", "D;0", "A;k=s", "B;k=s"}).Draw(g.t, "mark")
		g.add(eventlog.Event{Kind: eventlog.Output, Data: []byte("$ \x1b]133;" + mark + ";nonce=" + nonce + "\x1b\\")})
	case 2:
		g.add(eventlog.Event{Kind: eventlog.Output, Data: []byte("\r\n\x1b[?2004h> ")})
	case 3, 4:
		g.input()
	case 5:
		if g.messages > 0 && rapid.Bool().Draw(g.t, "goes on") {
			g.messages--
		}
		g.note(eventlog.NoteMessage, eventlog.MessageNote{
			ID: MessageID(g.messages), Type: string(MessageInput), At: began.UnixMicro(), Size: 3, Content: "abc",
		})
		g.messages++
	case 6:
		g.told++
		reason := rapid.SampledFrom([]detect.Reason{"", detect.Prompt, detect.AwaitingInput, detect.Password, detect.Settled}).Draw(g.t, "reason")
		g.note(eventlog.NoteVerdict, eventlog.VerdictNote{
			Number: g.told, Output: int64(len(g.events)), Inputs: g.inputs, Reason: string(reason),
			Marks: rapid.Bool().Draw(g.t, "by marks"), New: rapid.Bool().Draw(g.t, "new"),
		})
	}
	g.cuts = append(g.cuts, len(g.events))
}

// input appends the input of a call, in parts between which the program may write.
func (g *generator) input() {
	g.inputs++
	data := rapid.SampledFrom([]string{"ls\r", "\x7f", "for x in 1 2\r", "\x1b[200~one\rtwo\x1b[201~\r", "secret\r", "é", "\xff"}).Draw(g.t, "typed")
	text := strings.NewReplacer("\x1b[200~", "", "\x1b[201~", "", "\x7f", "").Replace(data)
	n := eventlog.InputNote{
		Number: g.inputs, Size: len(data), By: rapid.SampledFrom([]string{"", "Ann"}).Draw(g.t, "by"),
		Call: rapid.SampledFrom([]string{"", fmt.Sprint("c", g.inputs)}).Draw(g.t, "call"), Echo: rapid.Bool().Draw(g.t, "echo"),
		Edited: data == "\x7f", Submitted: data == "\x7f" || strings.HasSuffix(data, "\r"), Pasted: text != data,
		OneByOne: rapid.Bool().Draw(g.t, "one by one"), Lines: strings.Count(data, "\r"), Prompt: rapid.IntRange(-1, 5).Draw(g.t, "prompt"),
		Secret: data == "secret\r", NoEcho: data == "secret\r" || rapid.Bool().Draw(g.t, "no echo"),
	}
	part := rapid.IntRange(1, len(data)).Draw(g.t, "part")
	if text != data[:part] {
		n.Text = &text
	}
	g.note(eventlog.NoteInput, n)
	for rest := []byte(data); len(rest) > 0 && !n.Secret; part = rapid.IntRange(1, max(len(rest), 1)).Draw(g.t, "part") {
		g.add(eventlog.Event{Kind: eventlog.Input, Data: rest[:part]})
		if rest = rest[part:]; rapid.Bool().Draw(g.t, "echoes") {
			g.add(eventlog.Event{Kind: eventlog.Output, Data: []byte(text)})
		}
		if rapid.IntRange(0, 9).Draw(g.t, "cut off") == 0 {
			return
		}
	}
}

// note appends a note.
func (g *generator) note(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		g.t.Fatal(err)
	}
	g.add(eventlog.Event{Kind: eventlog.Note, Name: name, Data: data})
}

// add appends an event some time after the previous one.
func (g *generator) add(e eventlog.Event) {
	e.At = time.Duration(len(g.events)) * 7 * time.Millisecond
	g.events = append(g.events, e)
}

// play applies events to a state.
func play(s *State, events []eventlog.Event) *State {
	for i := range events {
		s.Apply(began.Add(events[i].At), &events[i])
	}
	return s
}

// logged returns events as they are read back from a log.
func logged(t *rapid.T, o Options, events []eventlog.Event) (out []eventlog.Event) {
	st := &eventlog.MemStore{}
	size := o.Terminal.Size
	w, err := eventlog.Create(st, eventlog.Start{Session: "s1", Command: "x", Time: began, Rows: size.Rows, Cols: size.Cols, Pipe: o.Pipe}, eventlog.Options{Direct: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		w.Append(e)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := eventlog.Open(st)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range l.Events() {
		if err != nil {
			t.Fatal(err)
		}
		e.Data = bytes.Clone(e.Data)
		out = append(out, e)
	}
	return out
}

// encode returns an encoded state.
func encode(t *rapid.T, s *State) [][]byte {
	parts, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// compare fails the test if two encoded states differ.
func compare(t *rapid.T, from string, got, want [][]byte) {
	if !slices.EqualFunc(got, want, bytes.Equal) {
		t.Fatalf("the state from %s is\n%.4000s\nthe live one is\n%.4000s", from, got[PartJSON], want[PartJSON])
	}
}

// TestDecodeVersion checks that a state of another version, or with other parts, is rejected.
func TestDecodeVersion(t *testing.T) {
	o := Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}}, Began: began}
	parts, err := play(New(o), []eventlog.Event{{Kind: eventlog.Output, Data: []byte("hello")}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(parts, o); err != nil {
		t.Errorf("its own version: %v", err)
	}
	was, is := fmt.Sprintf(`"version":%d,`, version), fmt.Sprintf(`"version":%d,`, version-1)
	for name, bad := range map[string][][]byte{
		"of another version": {bytes.Replace(parts[PartJSON], []byte(was), []byte(is), 1), parts[PartTerminal], parts[PartRaw]},
		"without version":    {bytes.Replace(parts[PartJSON], []byte(was), nil, 1), parts[PartTerminal], parts[PartRaw]},
		"with more output":   {parts[PartJSON], parts[PartTerminal], append(parts[PartRaw], '!')},
		"without terminal":   {parts[PartJSON], nil, parts[PartRaw]},
		"of two parts":       parts[:2],
		"not JSON":           {nil, parts[PartTerminal], parts[PartRaw]},
	} {
		if s, err := Decode(bad, o); err == nil {
			t.Errorf("a state %s was read: %+v", name, s.Last)
		}
	}
}

// TestSecondPrompt checks that a prompt for a further line that begins before the state is saved and ends
// after that is left out of the output whole.
func TestSecondPrompt(t *testing.T) {
	o := Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}}, Nonce: nonce, Began: began}
	mark := func(text string) eventlog.Event {
		return eventlog.Event{Kind: eventlog.Output, Data: []byte("\x1b]133;" + text + ";nonce=" + nonce + "\x1b\\")}
	}
	before := []eventlog.Event{{Kind: eventlog.Output, Data: []byte("ab")}, mark("A;k=s"), {Kind: eventlog.Output, Data: []byte("> ")}}
	parts, err := play(New(o), before).Encode()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Decode(parts, o)
	if err != nil {
		t.Fatal(err)
	}
	play(s, []eventlog.Event{mark("B;k=s")})
	if sp := s.Echoes.Spans; len(sp) != 1 || sp[0].From != 2 || sp[0].To != 4 {
		t.Errorf("spans that are not output: %+v, want one from 2 to 4", sp)
	}
}

// TestRedrawnCommand checks that a command that zsh draws again, below a job that has ended just
// after Enter, is no output.
func TestRedrawnCommand(t *testing.T) {
	mark := func(text string) string { return "\x1b]133;" + text + ";nonce=" + nonce + "\x1b\\" }
	for name, prompt := range map[string]string{"with B": mark("A") + "$ " + mark("B"), "without B": mark("A") + "$ \x1b[?2004h"} {
		s := New(Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}}, Nonce: nonce, Began: began})
		out := func(text string) eventlog.Event { return eventlog.Event{Kind: eventlog.Output, Data: []byte(text)} }
		play(s, []eventlog.Event{out(prompt)})
		play(s, []eventlog.Event{
			{Kind: eventlog.Input, Data: []byte(":\r")},
			out(":\r\r\n[1]  + killed     sleep 1000\r\n\x1b[J$ :\x1b[K\x1b[?2004l\r\r\n" + mark("C;cmdline_url=:") + mark("D;0") + prompt),
		})
		var shown []string
		for _, l := range s.Output(0, detect.Prompt) {
			shown = append(shown, l.Text)
		}
		if got := strings.Join(shown, "|"); !strings.HasSuffix(got, "[1]  + killed     sleep 1000") {
			t.Errorf("%s: output %q", name, got)
		}
	}
}

// TestHalfDrawn checks that an open synchronized update counts as half drawn for updateLimit and no
// longer, and that a new update counts again. So does an unfinished control sequence.
func TestHalfDrawn(t *testing.T) {
	at := time.Unix(1000, 0)
	s := New(Options{})
	write := func(text string) { s.Apply(at, &eventlog.Event{Kind: eventlog.Output, Data: []byte(text)}) }
	want := func(half bool) {
		t.Helper()
		if s.HalfDrawn(at) != half {
			t.Errorf("at %s: half drawn %v", at, !half)
		}
	}
	write("$ \x1b[?2026h")
	want(true)
	at = at.Add(updateLimit)
	want(false)
	write("prompt")
	want(false)
	write("\x1b[?2026h")
	want(true)
	write("\x1b[?2026l")
	want(false)
	write("\x1b[")
	want(true)
}
