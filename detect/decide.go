package detect

import (
	"fmt"
	"strings"
	"time"
)

// How long the terminal must have been quiet before a layer is believed.
const (
	markQuiet    = 2 * time.Millisecond   // after a shell's own mark
	linesQuiet   = 150 * time.Millisecond // the same, with typed lines that it may take up yet
	kernelQuiet  = 5 * time.Millisecond   // two equal looks of the kernel's view this far apart
	flushQuiet   = 25 * time.Millisecond  // the same, when the input may not have reached the program yet
	timedQuiet   = 20 * time.Millisecond  // a wait with a time limit, never seen at a prompt: irb peeks for typed input so, for 1 ms
	silentQuiet  = 250 * time.Millisecond // the same, when it has other threads at rest and has not written: fzf reads keys before it draws
	frontQuiet   = 4 * time.Millisecond   // a learned prompt, by the process and modes it was learned with
	learnedQuiet = 30 * time.Millisecond  // a learned prompt otherwise
	shapeQuiet   = 100 * time.Millisecond // text of the shape of a prompt
	wordsQuiet   = 30 * time.Millisecond  // words that ask for a secret, or yes or no
	secretQuiet  = 100 * time.Millisecond // line mode without echo, all this time
	secretAsleep = 300 * time.Millisecond // the same, of a program that does not seem to read
	// longRead is the least time limit of a read that is meant for a person: a
	// program does not look for keys that long between two steps of its work.
	longRead = 5 * time.Second
	// maxBlink is the longest wait that a line editor may keep typed text waiting for.
	maxBlink  = time.Second
	lookDelay = 500 * time.Microsecond
	// staleLook is how old a look may be that says that a shell works at its prompt.
	staleLook = 10 * time.Millisecond
	// busyLook is how often a busy foreground is looked at again; it grows with
	// the time since the last output.
	busyLookMin = 250 * time.Microsecond
	busyLookMax = 100 * time.Millisecond
	// heldLimit is how long a half-drawn update is waited for.
	heldLimit = time.Second
	// silentSettle is the least pause after which an answer that never began is
	// given up as settled.
	silentSettle = 2 * time.Second
	// startSettle is the same for a program that is still starting, as jshell does for
	// seconds.
	startSettle = 8 * time.Second
	// startRest is how long such a program must have rested to be taken for one that
	// has started, and has nothing to say.
	startRest = 500 * time.Millisecond
	// busySettle is the least pause of a program that the kernel sees at work.
	busySettle = time.Second
	// periodicAfter is how long a steady repaint is watched before it is taken
	// for all that will come.
	periodicAfter = time.Second
	periodicBusy  = 3 * time.Second // the same, where a prompt is to come
)

// Decide returns the verdict on e: what the strongest layer that knows says, or
// when to decide anew.
func Decide(e Evidence) Verdict {
	if e.Exited {
		return done(Exited, LayerExit, "the child was reaped and its terminal is drained")
	}
	if e.Input.Queued || e.Output.Unread {
		return Verdict{}
	}
	d := decision{Evidence: e, quiet: e.Now.Sub(e.lastEvent())}
	if e.Output.Held && d.quiet < heldLimit {
		return d.at(heldLimit)
	}
	for _, layer := range []func(*decision) (Verdict, bool){
		(*decision).marks, (*decision).kernel, (*decision).secret, (*decision).learned, (*decision).settled,
	} {
		if v, ok := layer(&d); ok {
			return v
		}
	}
	return Verdict{Again: d.again, Look: d.look}
}

// lastEvent returns when the session last saw output or input.
func (e *Evidence) lastEvent() time.Time {
	if e.Output.Last.After(e.Input.At) {
		return e.Output.Last
	}
	return e.Input.At
}

// A decision is a verdict in the making: each layer decides, or says when it
// could.
type decision struct {
	Evidence
	quiet time.Duration // since the last output or input
	again time.Time
	look  bool
}

// done returns the verdict that the wait is over.
func done(r Reason, l Layer, why ...string) Verdict {
	return Verdict{Done: true, Reason: r, Layer: l, Why: why}
}

// at asks to decide anew when it has been quiet for q.
func (d *decision) at(q time.Duration) Verdict {
	d.later(d.lastEvent().Add(q))
	return Verdict{Again: d.again, Look: d.look}
}

// later asks to decide anew at t, or earlier when another layer wants to.
func (d *decision) later(t time.Time) {
	if !t.After(d.Now) {
		t = d.Now.Add(lookDelay)
	}
	if d.again.IsZero() || t.Before(d.again) {
		d.again = t
	}
}

// after reports whether it has been quiet for q, and asks to be called when it
// has.
func (d *decision) after(q time.Duration) bool {
	if d.quiet >= q {
		return true
	}
	d.at(q)
	return false
}

// marks is the layer of OSC 133.
func (d *decision) marks() (Verdict, bool) {
	switch {
	case d.Marks.Back && !d.Marks.Prompt && (d.Kernel.Reader || d.Kernel.Main && d.Kernel.Waiting) && d.after(flushQuiet):
		// It reads its terminal, and what was typed is not there any more.
	case !d.Marks.Prompt:
		return Verdict{}, false
	case !d.Kernel.Looked:
		d.look = true
		d.later(d.Now.Add(lookDelay))
		return Verdict{Again: d.again, Look: true}, true
	case d.Kernel.Waiting && d.Kernel.Final:
	case d.Marks.Lines && d.busy() && !d.after(d.atWork()):
		d.look = true
		return Verdict{}, false
	case d.Marks.Lines && !d.Kernel.Waiting && !d.after(learnedQuiet), !d.after(markQuiet):
		return Verdict{Again: d.again}, true
	case d.Kernel.Waiting && d.Kernel.Timed && !d.Kernel.Seen && !d.after(linesQuiet):
		// fish listens to itself for a while after it has told other shells of a
		// variable, and draws its prompt anew when the variable is one of colours.
		d.look = true
		d.later(d.Now.Add(busyLookMin))
		return Verdict{Again: d.again, Look: true}, true
	case d.busy() && d.Kernel.Reader:
		// Helpers that the shell has started in its own group are no concern.
	case d.busy() && !d.Kernel.Own:
		// Another program is in front, and at work: the marks are not the shell's,
		// or old ones that a program shows again.
		return Verdict{}, false
	case d.busy() && !d.after(d.atWork()):
		// The shell may still have something to draw, or only a thread of
		// Python's that has nothing to do with the prompt is at work.
		d.look = true
		d.later(d.Now.Add(busyLookMin))
		return Verdict{Again: d.again, Look: true}, true
	case d.busy() && d.Kernel.Age > staleLook:
		// What it started may be in front by now.
		d.look = true
		d.later(d.Now.Add(lookDelay))
		return Verdict{Again: d.again, Look: true}, true
	}
	why := []string{"the shell marked the end of its prompt (OSC 133;B) after the input"}
	if d.Kernel.Text != "" {
		why = append(why, d.Kernel.Text)
	}
	return done(Prompt, LayerMarks, why...), true
}

// atWork is how long a program that works behind its prompt is waited for: one of
// which nobody reads the terminal is not at that prompt, however long a busy
// machine keeps it from going on.
func (d *decision) atWork() time.Duration {
	if d.Kernel.Listens {
		return linesQuiet
	}
	return silentSettle
}

// kernel is the layer of what the foreground processes wait for.
func (d *decision) kernel() (Verdict, bool) {
	if !d.Kernel.Looked {
		// Weaker layers wait for what the kernel says.
		d.look = true
		d.later(d.lastEvent().Add(lookDelay))
		return Verdict{Again: d.again, Look: true}, true
	}
	if !d.Kernel.Known || !d.Kernel.Waiting || !d.sure() {
		d.lookOn()
		return Verdict{}, false
	}
	if d.Kernel.Final && !d.shown() {
		return done(d.waitingReason(), LayerKernel, d.Kernel.Text), true
	}
	if d.blinks() && !d.renewed() && !d.after(silentSettle) {
		d.look = true
		d.later(d.Now.Add(timedQuiet))
		return Verdict{Again: d.again, Look: true}, true
	}
	if d.works() {
		d.lookOn()
		return Verdict{}, false
	}
	quiet := kernelQuiet
	switch {
	case d.shown():
		quiet = d.Pace.Redraw
	case d.blinks(), d.Kernel.Unproven:
		quiet = flushQuiet
	case d.Kernel.Others && !d.Kernel.Seen && d.Output.Since == 0:
		quiet = silentQuiet
	case d.Kernel.Timed && !d.Kernel.Seen && !d.Kernel.Home:
		quiet = timedQuiet
	}
	if stable := d.Now.Sub(d.Kernel.Since); stable < quiet || d.quiet < quiet {
		d.look = true
		d.later(d.Kernel.Since.Add(quiet))
		d.at(quiet)
		return Verdict{Again: d.again, Look: true}, true
	}
	return done(d.waitingReason(), LayerKernel, d.Kernel.Text), true
}

// shown reports whether a full-screen program shows the terminal of another, which is
// the one that waits: Neovim draws what came there a few milliseconds later.
func (d *decision) shown() bool { return d.FullScreen && d.Kernel.Relayed }

// lookOn asks to look again, ever more seldom: nothing else tells of a program that
// begins to wait without writing.
func (d *decision) lookOn() {
	d.look = true
	d.later(d.Now.Add(min(max(d.quiet/3, busyLookMin), busyLookMax)))
}

// works reports whether a program that can read what is typed next may have more
// to say before: something else than input will wake it, or another of its group,
// and nothing on the screen asks for input. Where one thread reads and another one
// answers, or one program of a pipeline, the reader is back at its read at once.
func (d *decision) works() bool {
	if d.FullScreen || d.TTY.secret() || d.Kernel.Secret || d.asks() {
		return false
	}
	return d.Kernel.Others || d.Kernel.Timed && !d.Kernel.Seen && d.Kernel.Ends < longRead
}

// blinks reports whether a line editor may show for a moment which parenthesis
// the one just typed closes, as Octave's readline does for half a second, while it
// holds the rest of what was typed: the cursor stands in the text, or in the line
// where Enter was typed.
func (d *decision) blinks() bool {
	k := &d.Kernel
	edits := d.TTY.Known && !d.TTY.Canonical && !d.FullScreen
	return edits && k.Timed && k.Sure && d.Input.Submitted && (!d.Input.Moved || d.OnText)
}

// renewed reports whether such a wait has ended, and nothing has come of it, or
// is too long for one.
func (d *decision) renewed() bool {
	if d.Kernel.Ends == 0 || d.Kernel.Ends >= maxBlink {
		return d.after(maxBlink)
	}
	return d.Kernel.Renewed
}

// sure reports whether a program that waits, not for this terminal alone, does
// so for its user.
func (d *decision) sure() bool {
	if d.FullScreen {
		return d.Kernel.Sure || d.Kernel.Home
	}
	return d.Kernel.Sure || d.Kernel.Asked && d.Marks.Running || d.Kernel.Seen && d.Learned.Prompt && d.Whole && !d.Plain && d.moved()
}

// asks reports whether the text at the cursor asks its reader for something.
func (d *decision) asks() bool {
	if d.Learned.Prompt || d.Learned.Continues || d.Learned.Again || LooksLikePrompt(d.AtCursor) || AsksYesNo(d.AtCursor) {
		return true
	}
	bare := strings.TrimRight(d.AtCursor, " ")
	return strings.HasSuffix(bare, "?") || strings.HasSuffix(bare, ":")
}

// moved reports whether the prompt at the cursor can be a new one. ssh waits
// for its user while the remote side has not even echoed what was typed.
// A line editor that has taken over since has drawn its prompt anew.
func (d *decision) moved() bool { return !d.Input.Typed || d.Input.Moved || d.Edited }

// waitingReason says what a program that waits for this terminal waits for.
func (d *decision) waitingReason() Reason {
	switch {
	case d.TTY.secret(), d.Kernel.Secret:
		return Password
	case d.FullScreen:
		return AwaitingInput
	case AsksSecret(d.AtCursor):
		return Password
	case d.Learned.Prompt, d.Learned.Continues, LooksLikePrompt(d.AtCursor), d.Learned.Again && d.Input.Moved:
		return Prompt
	}
	return AwaitingInput
}

// busy reports whether the kernel says that the foreground does something else
// than wait for the terminal.
func (d *decision) busy() bool { return d.Kernel.Known && !d.Kernel.Waiting }

// secret is the layer of the terminal's modes: canonical without echo is how a
// password is read (getpass(3)), words are the fallback.
func (d *decision) secret() (Verdict, bool) {
	if d.FullScreen {
		return Verdict{}, false
	}
	if d.Input.Submitted && d.Output.Since == 0 {
		return Verdict{}, false // the prompt on the screen is the one just answered
	}
	if d.TTY.secret() && d.secretFor(secretQuiet) && !d.busy() {
		return done(Password, LayerKernel, "the terminal is in line mode with echo off"), true
	}
	if d.TTY.secret() && d.busy() && d.Kernel.Asleep && AsksSecret(d.AtCursor) && d.secretFor(secretAsleep) {
		// The one that reads may be hidden behind another, as sudo behind su.
		return done(Password, LayerKernel, fmt.Sprintf("the terminal stays in line mode with echo off, nobody runs, and the text at the cursor asks for a secret: %q", d.AtCursor)), true
	}
	if d.busy() {
		return Verdict{}, false
	}
	if !d.TTY.secret() && AsksSecret(d.AtCursor) && (d.moved() || !d.Input.Submitted) && d.after(wordsQuiet) {
		return done(Password, LayerLearned, fmt.Sprintf("the text at the cursor asks for a secret: %q", d.AtCursor)), true
	}
	return Verdict{}, false
}

// secretFor reports whether the terminal has been quiet, and set as for a
// password, for q. A program that changes the modes all the time shows them so
// for a moment only.
func (d *decision) secretFor(q time.Duration) bool {
	since := d.TTY.Since
	if last := d.lastEvent(); last.After(since) {
		since = last
	}
	if d.Now.Sub(since) >= q {
		return true
	}
	d.later(since.Add(q))
	return false
}

// learned is the layer of prompts by their text.
func (d *decision) learned() (Verdict, bool) {
	if d.busy() && !d.Kernel.Reader || d.FullScreen || !d.moved() {
		return Verdict{}, false
	}
	if d.Kernel.Waiting && !d.Kernel.Sure && d.Learned.Prompt && (!d.Whole || d.Plain) {
		// It waits whatever it does: ">>> " is no "> ", and "> " from a program
		// that moves the cursor about its prompt (node) is output.
		return Verdict{}, false
	}
	switch {
	case d.Learned.Prompt && d.SameFront:
		if d.after(frontQuiet) {
			return done(Prompt, LayerLearned, fmt.Sprintf("the learned prompt %q came back, with the same process in front and the same terminal modes", d.AtCursor)), true
		}
	case d.Learned.Prompt:
		if d.after(learnedQuiet) {
			return done(Prompt, LayerLearned, fmt.Sprintf("the learned prompt %q came back", d.AtCursor)), true
		}
	case d.Learned.Continues:
		if d.after(learnedQuiet) {
			return done(Prompt, LayerLearned, fmt.Sprintf("the text at the cursor, %q, continues a learned prompt", d.AtCursor)), true
		}
	case d.Kernel.Reader && d.Kernel.Asked && d.Marks.Running && d.asks():
		if d.after(wordsQuiet) {
			return done(AwaitingInput, LayerKernel, d.Kernel.Text, fmt.Sprintf("the shell itself reads its terminal, and asks %q", d.AtCursor)), true
		}
	case (AsksYesNo(d.AtCursor) || AsksMore(d.AtCursor)) && d.goesOn():
		// Words alone do not tell: "[Y/n]" in the middle of what node prints.
	case AsksYesNo(d.AtCursor):
		if d.after(wordsQuiet) {
			return done(AwaitingInput, LayerLearned, fmt.Sprintf("the text at the cursor asks yes or no: %q", d.AtCursor)), true
		}
	case AsksMore(d.AtCursor):
		if d.after(wordsQuiet) {
			return done(AwaitingInput, LayerLearned, fmt.Sprintf("the text at the cursor is a pager's: %q", d.AtCursor)), true
		}
	case LooksLikePrompt(d.AtCursor) && !d.Marks.Running && (d.Edited || !d.Kernel.Prompts):
		// A program whose prompt is known would show that one: without a line editor
		// this is output.
		if d.after(shapeQuiet) {
			return done(Prompt, LayerLearned, fmt.Sprintf("the text at the cursor has the shape of a prompt: %q", d.AtCursor)), true
		}
	}
	return Verdict{}, false
}

// goesOn reports whether the program will go on by itself soon, as far as the kernel
// tells: it waits for keys and for a timer.
func (d *decision) goesOn() bool {
	return d.Kernel.Waiting && !d.Kernel.Sure && d.Kernel.Timed && d.Kernel.Ends < longRead
}

// settled is the layer of the pause: a guess.
func (d *decision) settled() (Verdict, bool) {
	watched := periodicAfter
	if d.comesBack() {
		watched = periodicBusy // more likely a progress bar, which will end
	}
	if d.Pace.Periodic && d.Now.Sub(d.Input.At) >= watched {
		return done(Settled, LayerSettled, "the program repaints in a steady rhythm and has just finished a frame"), true
	}
	if d.comesBack() {
		return Verdict{}, false
	}
	q := d.Pace.Settle
	if d.busy() && (!d.FullScreen || !d.Kernel.Asleep) {
		q = max(q, busySettle)
		if !d.Kernel.Asleep {
			q = max(q, silentSettle) // on a processor: it computes
		}
	}
	if d.FullScreen && (d.Kernel.Waiting || d.handedOver()) {
		q = d.Pace.Redraw
		if d.Kernel.Away && d.Kernel.Wakes < silentSettle {
			q += d.Kernel.Wakes // as nvim in :sleep
		}
	}
	if d.Output.Since == 0 || d.FullScreen && d.Blank {
		q = max(q, silentSettle)
		if d.starts() {
			q = startSettle
		}
	}
	if !d.after(q) {
		return Verdict{}, false
	}
	return done(Settled, LayerSettled, d.doubts()...), true
}

// starts reports whether a program that nobody has typed to yet, and that has written
// nothing, is at work: it has been on a processor of late.
func (d *decision) starts() bool {
	return !d.Input.Typed && d.busy() && (!d.Kernel.Asleep || d.Now.Sub(d.Kernel.Since) < startRest)
}

// handedOver reports whether a full-screen program has given its terminal to
// another to read, as tmux's client does: it sleeps, has never been seen to wait
// for the terminal, and yet what was typed is answered.
func (d *decision) handedOver() bool {
	return d.busy() && d.Kernel.Asleep && !d.Kernel.Reads && d.Input.Typed && d.Output.Since > 0
}

// doubts is why only the pause decided: what the stronger layers saw.
func (d *decision) doubts() []string {
	why := []string{fmt.Sprintf("no output for %s", d.quiet.Round(time.Millisecond))}
	if d.Kernel.Text != "" {
		why = append(why, d.Kernel.Text)
	}
	if d.AtCursor != "" {
		why = append(why, fmt.Sprintf("the text at the cursor, %q, is no prompt that was learned", d.AtCursor))
	}
	return why
}

// comesBack reports whether a prompt will end the wait better than any pause:
// something that has prompted or read its terminal before is at work, visibly, or
// reads keys without having asked for any.
func (d *decision) comesBack() bool {
	if d.FullScreen {
		// As vim does in :sleep or :make.
		return d.busy() && d.Kernel.Reads
	}
	if d.Kernel.Waiting && !d.sure() && d.Kernel.Prompts && d.AtCursor == "" {
		return !d.Input.Prompted && !d.after(d.keyless()) // node prints on after its prompt
	}
	return d.Marks.Starting || d.Marks.Running && !d.Kernel.Known || d.busy() && !d.Kernel.Reader && (d.Expected || d.Kernel.Reads)
}

// keyless is how long a program that has prompted, and now reads keys without asking
// for any, is expected to say more: node does so in an await, and in its editor mode.
// When its next timer is far off it waits for keys, or for what may take as long.
func (d *decision) keyless() time.Duration {
	if d.Kernel.Timed && d.Kernel.Ends >= longRead {
		return silentSettle
	}
	return longRead
}

// Quiet returns the verdict of a wait for a pause alone: settled, or exited.
func Quiet(e Evidence) Verdict {
	if e.Exited || e.Input.Queued || e.Output.Unread {
		return Decide(e)
	}
	d := decision{Evidence: e, quiet: e.Now.Sub(e.lastEvent())}
	if e.Output.Held && d.quiet < heldLimit {
		return d.at(heldLimit)
	}
	if d.Pace.Periodic && d.Now.Sub(d.Input.At) >= periodicAfter {
		return done(Settled, LayerSettled, "the program repaints in a steady rhythm and has just finished a frame")
	}
	if !d.after(d.Pace.Settle) {
		return Verdict{Again: d.again}
	}
	return done(Settled, LayerSettled, fmt.Sprintf("no output for %s", d.quiet.Round(time.Millisecond)))
}
