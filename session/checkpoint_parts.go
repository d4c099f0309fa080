package session

import (
	"time"

	"github.com/glasstty/glasstty/emulator"
)

// A keptTyped is a typed.
type keptTyped struct {
	By        bool
	Person    string
	At        time.Time
	Pos       emulator.Position
	OnText    bool
	Offset    int64
	Submitted bool
	Running   bool
	Prompt    string
}

func (t *typed) keep() keptTyped {
	return keptTyped{t.by, t.person, t.at, t.pos, t.onText, t.offset, t.submitted, t.running, t.prompt}
}

func (k *keptTyped) typed() typed {
	return typed{k.By, k.Person, k.At, k.Pos, k.OnText, k.Offset, k.Submitted, k.Running, k.Prompt}
}

// A keptCall is a typing that is remembered.
type keptCall struct {
	Number                     string
	Text, Ended, Edited, Keyed bool
	Submitted, Secret          bool
	At                         emulator.Position
	OnText                     bool
	Offset                     int64
	Revision                   uint64
	Kernel, Running            bool
	Prompt                     string
}

func (c *typing) keep() keptCall {
	return keptCall{
		Number: c.number, Text: len(c.lines) > 0, Ended: c.ended, Edited: c.edited, Keyed: c.keyed,
		Submitted: c.submitted, Secret: c.secret, At: c.at, OnText: c.onText,
		Offset: c.offset, Revision: c.revision, Kernel: c.kernel, Running: c.running, Prompt: c.prompt,
	}
}

func (k *keptCall) call() *typing {
	c := &typing{
		number: k.Number, ended: k.Ended, edited: k.Edited, keyed: k.Keyed,
		submitted: k.Submitted, secret: k.Secret, started: true, finished: true, at: k.At, onText: k.OnText,
		offset: k.Offset, revision: k.Revision, kernel: k.Kernel, running: k.Running, prompt: k.Prompt,
	}
	if k.Text {
		c.lines = []string{""}
	}
	return c
}

// A keptMarks is a marks.
type keptMarks struct {
	Starting          bool
	Start, End        emulator.Mark
	Started, Prompted bool
	Touched           bool
	TypedAt           emulator.Position
	Lines             int
	Running           bool
	Ran, Done         int64
	DoneAt            emulator.Position
	Due               int
	Weak              bool
	Since             time.Time
	Command           string
	Last              *LastCommand
}

func (k *marks) keep() keptMarks {
	return keptMarks{
		Starting: k.starting, Start: k.start, End: k.end, Started: k.started, Prompted: k.prompted,
		Touched: k.touched, TypedAt: k.typedAt, Lines: k.lines, Running: k.running, Ran: k.ran, Done: k.done, DoneAt: k.doneAt,
		Due: k.due, Weak: k.weak, Since: k.since, Command: k.command, Last: k.last,
	}
}

func (k *keptMarks) marks() marks {
	return marks{
		starting: k.Starting, start: k.Start, end: k.End, started: k.Started, prompted: k.Prompted,
		touched: k.Touched, typedAt: k.TypedAt, lines: k.Lines, running: k.Running, ran: k.Ran, done: k.Done, doneAt: k.DoneAt,
		due: k.Due, weak: k.Weak, since: k.Since, command: k.Command, last: k.Last,
	}
}

// A keptEdit is a lineEdit.
type keptEdit struct {
	At  emulator.Position
	Set bool
}

// A keptTypedLine is a typedLine.
type keptTypedLine struct {
	Text             string
	Ended, Edited    bool
	At               emulator.Position
	Here             *emulator.Position
	Prompt           int
	Anchored, Kernel bool
	Pasted           bool
}

// keep returns the lines whose echo has not been found, and the spans as line,
// from and to.
func (e *echoes) keep() (pending []keptTypedLine, spans [][3]int64) {
	for _, l := range e.pending {
		pending = append(pending, keptTypedLine{l.text, l.ended, l.edited, l.at, l.here, l.prompt, l.anchored, l.kernel, l.pasted})
	}
	for _, sp := range e.spans {
		spans = append(spans, [3]int64{sp.line, int64(sp.from), int64(sp.to)})
	}
	return pending, spans
}

// keptEchoes returns the echoes that were kept.
func keptEchoes(pending []keptTypedLine, spans [][3]int64) (e echoes) {
	for _, k := range pending {
		e.add(typedLine{k.Text, k.Ended, k.Edited, k.At, k.Here, k.Prompt, k.Anchored, k.Kernel, k.Pasted})
	}
	for _, k := range spans {
		e.mark(span{k[0], int(k[1]), int(k[2])})
	}
	return e
}

// A keptMessages is a messageLog.
type keptMessages struct {
	List   []Message
	Full   int // how many of the latest have their contents
	Next   int64
	Reader keptReader
	Since  time.Time
	Shown  bool
}

func (l *messageLog) keepList() keptMessages {
	return keptMessages{l.kept, l.full, l.next, l.reader.keep(), l.since, l.shown}
}

func (k *keptMessages) messages() messageLog {
	l := messageLog{next: k.Next, reader: *k.Reader.reader(), since: k.Since, shown: k.Shown}
	for i, m := range k.List {
		if i < len(k.List)-k.Full {
			m.logged = true
			l.kept = append(l.kept, m)
			continue
		}
		l.keep(m)
	}
	return l
}
