package detect

import (
	"strings"
	"time"
)

// kernel is the layer that decides by what the foreground processes wait for.
func (d *decision) kernel() (Verdict, bool) {
	if !d.Kernel.Current {
		return d.lookAt(d.lastEvent().Add(lookDelay)) // weaker layers wait for a look
	}
	if d.filterReady() {
		return done(AwaitingInput, LayerKernel, d.Kernel.Text, "it reads keys while it reads its input"), true
	}
	if !d.Kernel.Known || !d.Kernel.Waiting || !d.waitsForUser() {
		d.lookLater()
		return Verdict{}, false
	}
	if d.Kernel.Final && !d.isNested() {
		return done(d.waitingReason(), LayerKernel, d.Kernel.Text), true
	}
	if d.waitsBriefly() && !d.quietFor(briefWaitLimit) {
		d.lookLater()
		return Verdict{Again: d.again}, true
	}
	if d.mayBlinkBracket() && !d.blinkEnded() && !d.quietFor(silentSettle) {
		return d.lookAt(d.Now.Add(timedQuiet))
	}
	if d.timerDue() && !d.atPrompt() && !(d.Kernel.OnlyTerminal && d.asksForInput()) {
		return Verdict{Again: d.again}, true
	}
	if d.mayWriteMore() || d.Kernel.EventLoop && d.isSpinning() {
		d.lookLater()
		return Verdict{}, false
	}
	quiet := kernelQuiet
	switch {
	case d.isNested():
		quiet = d.Pace.Redraw
	case d.Input.InLine && d.Output.AnswerBytes == 0 && !d.Kernel.OnlyTerminal:
		quiet = silentQuiet
	case d.LineBegun:
		quiet = learnedQuiet
	case d.mayBlinkBracket(), d.Kernel.InputUnread:
		quiet = flushQuiet
	case d.Kernel.OthersWake && !d.Kernel.SeenAtPrompt && d.Output.AnswerBytes == 0:
		quiet = silentQuiet
	case d.Kernel.Timed && !d.Kernel.SeenAtPrompt && !d.Kernel.AtIdlePlace:
		quiet = timedQuiet
	}
	if d.quiet < quiet || !d.isStable(quiet) {
		d.decideAfter(quiet)
		return d.lookAt(d.Kernel.Since.Add(quiet))
	}
	return done(d.waitingReason(), LayerKernel, d.Kernel.Text), true
}

// isStable reports whether two looks, at least quiet apart, have shown the same state. If a thread
// wakes all the time, no two looks are equal. Then one look is enough if it was taken
// unstableFactor*quiet after the last output or input.
func (d *decision) isStable(quiet time.Duration) bool {
	at := d.Kernel.At
	return at.Sub(d.Kernel.Since) >= quiet || at.Sub(d.lastEvent()) >= unstableFactor*quiet
}

// filterReady reports whether a full-screen filter such as fzf in "find | fzf" has drawn
// the result of the keys. It may continue to draw while its standard input arrives.
func (d *decision) filterReady() bool {
	if !d.FullScreen || d.Blank || !d.Kernel.Filters || d.Output.ResultAt.IsZero() {
		return false
	}
	drawn := d.Output.ResultAt.Add(filterDelay)
	if d.Now.Before(drawn) || d.quiet < kernelQuiet {
		d.decideBy(drawn)
		return false
	}
	return true
}

// isNested reports whether the waiting program is in a terminal that a full-screen program
// displays. Neovim draws the output of such a terminal a few milliseconds later.
func (d *decision) isNested() bool { return d.FullScreen && d.Kernel.Nested }

// timerDue reports whether a timer is set that may belong to the input. If so, timerDue requests
// another decision when the timer fires.
func (d *decision) timerDue() bool {
	if d.Kernel.AnswerDue.IsZero() {
		return false
	}
	d.decideBy(d.Kernel.AnswerDue)
	return true
}

// lookLater requests another decision, at increasing intervals. Only a look shows that a
// program has begun to wait without writing.
func (d *decision) lookLater() {
	d.decideBy(d.Now.Add(min(max(d.quiet/3, busyLookMin), busyLookMax)))
}

// mayWriteMore reports whether a program that waits for input may still write more: a timer of its
// group will fire, and nothing on the screen asks for input. A program that reads in one thread
// and answers in another, or one in a pipeline, waits for input again before it has answered.
func (d *decision) mayWriteMore() bool {
	k := &d.Kernel
	switch {
	case d.TTY.secret() || k.Secret:
		return false
	case k.EventLoop:
		return !k.OtherDue.IsZero() && !k.AtIdlePlace && !d.atPrompt()
	case d.FullScreen, (d.asksForInput() || d.atPrompt()) && !d.unanswered():
		return false
	}
	return !k.OtherDue.IsZero() || d.answersLater() || k.Timed && !k.SeenAtPrompt && k.TimeLimit < longRead
}

// answersLater reports whether a program that was given a line may answer it later. Such a program
// polls its terminal: its wait is for this terminal alone, but has a short time limit. At its
// prompt it waits in the same way, so only the prompt shows that it has answered.
func (d *decision) answersLater() bool {
	k := &d.Kernel
	limited := k.Waiting && k.OnlyTerminal && k.Timed && (k.SeenAtPrompt && k.TimeLimit < longRead || k.TimeLimit <= maxBriefWait)
	return limited && d.Input.Submitted && !d.FullScreen
}

// unanswered reports whether a program for which answersLater is true has not shown its prompt
// again, although the text at the cursor may ask for input. Either nothing was written since the
// input, and the text is the old prompt; or the text has the shape of a prompt, but the program
// is known to show another prompt.
func (d *decision) unanswered() bool {
	switch {
	case !d.answersLater():
		return false
	case d.Output.AnswerBytes == 0:
		return !d.Input.InLine
	case d.Learned.Prompt, d.Learned.Continuation, d.Learned.TextUnchanged, d.EditorReads:
		return false
	}
	return d.Kernel.HasPrompted && d.Kernel.SeenAtPrompt && LooksLikePrompt(d.AtCursor)
}

// waitsBriefly reports whether a program's wait may be too short to be for a person. This
// applies to a wait for the rest of a key that begins with Escape. It also applies to a
// full-screen program with known idle places that waits elsewhere, as when one thread
// waits for the end of another.
func (d *decision) waitsBriefly() bool {
	k := &d.Kernel
	elsewhere := d.FullScreen && k.AtOtherPlace
	return (d.Input.EndsInEscape || elsewhere) && k.Timed && k.OnlyTerminal && k.TimeLimit <= maxBriefWait && !k.Renewed && !k.AtIdlePlace
}

// mayBlinkBracket reports whether a line editor may be showing the parenthesis that matches the
// one just typed, as Octave's readline does for half a second before it continues to
// read. The cursor is then in the text, or in the line where Enter was typed.
func (d *decision) mayBlinkBracket() bool {
	k := &d.Kernel
	edits := d.TTY.Known && !d.TTY.Canonical && !d.FullScreen
	return edits && k.Timed && k.OnlyTerminal && d.Input.Submitted && (!d.Input.Moved || d.OnText)
}

// blinkEnded reports whether a wait for which mayBlinkBracket is true has ended without output. A
// wait of at least maxBracketBlink or of unknown length counts as ended after maxBracketBlink.
func (d *decision) blinkEnded() bool {
	if d.Kernel.TimeLimit == 0 || d.Kernel.TimeLimit >= maxBracketBlink {
		return d.quietFor(maxBracketBlink)
	}
	return d.Kernel.Renewed
}

// waitsForUser reports whether a program that waits for this terminal waits for the user. If it
// waits for something else too, it may instead be at work.
func (d *decision) waitsForUser() bool {
	if d.Kernel.OnlyTerminal || d.Kernel.EventLoop {
		return true
	}
	if d.FullScreen {
		return d.Kernel.AtIdlePlace
	}
	return d.Kernel.MainIsFish && d.Marks.Running || d.atPrompt()
}

// atPrompt reports whether a program is at its prompt. The wait alone does not show this,
// because an event loop always waits in the same way. Either a learned prompt is shown, and the
// program waits as it has at prompts before or the input had no Enter; or an event loop's
// line editor has begun to read since the input, and the text asks for input. After Escape, an
// event loop may still be waiting for the rest of a key: fzf waits in this way and then ends.
func (d *decision) atPrompt() bool {
	if d.FullScreen || !d.promptMayBeNew() || d.Kernel.EventLoop && d.Input.EndsInEscape {
		return false
	}
	waitsAsAtPrompt := d.Kernel.SeenAtPrompt || d.Input.InLine && d.Kernel.HasPrompted
	return waitsAsAtPrompt && (d.Learned.Prompt && d.PromptWhole || d.LineBegun) || d.Kernel.EventLoop && d.EditorReads && d.asksForInput()
}

// asksForInput reports whether the text at the cursor is a prompt or a question.
func (d *decision) asksForInput() bool {
	if d.Learned.Prompt || d.Learned.Continuation || d.Learned.TextUnchanged || LooksLikePrompt(d.AtCursor) || AsksYesNo(d.AtCursor) || AsksMore(d.AtCursor) {
		return true
	}
	bare := strings.TrimRight(d.AtCursor, " ")
	return strings.HasSuffix(bare, "?") || strings.HasSuffix(bare, ":")
}

// promptMayBeNew reports whether the prompt at the cursor may be a new one. A prompt in
// the line where Enter was typed is an old one: ssh, for example, waits for the user even
// before the remote side has echoed the typed text. But a line editor that has begun to
// read since the input has redrawn its prompt.
func (d *decision) promptMayBeNew() bool {
	return !d.Input.Typed || d.Input.Moved || d.Input.InLine || d.EditorReads
}

// waitingReason returns the reason for a program that waits for this terminal.
func (d *decision) waitingReason() Reason {
	switch {
	case d.TTY.secret(), d.Kernel.Secret:
		return Password
	case d.FullScreen:
		return AwaitingInput
	case AsksSecret(d.AtCursor):
		return Password
	case d.Learned.Prompt, d.Learned.Continuation, LooksLikePrompt(d.AtCursor), d.Learned.TextUnchanged && d.Input.Moved:
		return Prompt
	}
	return AwaitingInput
}

// isBusy reports whether the kernel shows that the foreground program does not wait for the
// terminal.
func (d *decision) isBusy() bool { return d.Kernel.Known && !d.Kernel.Waiting }
