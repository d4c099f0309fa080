package detect

import (
	"strings"
	"time"
)

// kernel is the layer that decides by what the foreground processes wait for.
func (d *decision) kernel() (Verdict, bool) {
	if !d.Kernel.Current {
		return d.lookAt(d.lastEvent().Add(lookDelay)) // no weaker layer may decide before the look
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

// isStable reports whether two equal looks, at least quiet apart, have confirmed each other. If a
// thread wakes all the time, no two looks are equal. Therefore one look is also enough if it was
// taken unstableFactor*quiet after the last output or input.
func (d *decision) isStable(quiet time.Duration) bool {
	at := d.Kernel.At
	return at.Sub(d.Kernel.Since) >= quiet || at.Sub(d.lastEvent()) >= unstableFactor*quiet
}

// filterReady reports whether a full-screen filter, such as fzf in "find | fzf", has drawn the
// result of the keys. Such a filter may continue to draw while its standard input arrives.
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
// displays. Neovim, for example, draws the output of such a terminal a few milliseconds later.
func (d *decision) isNested() bool { return d.FullScreen && d.Kernel.Nested }

// timerDue reports whether a timer is set that may lead to an answer. If so, timerDue requests
// another decision when the timer fires.
func (d *decision) timerDue() bool {
	if d.Kernel.AnswerDue.IsZero() {
		return false
	}
	d.decideBy(d.Kernel.AnswerDue)
	return true
}

// lookLater requests another decision, at intervals that increase with the pause. If a program
// begins to wait without writing, only a look at the kernel shows this.
func (d *decision) lookLater() {
	d.decideBy(d.Now.Add(min(max(d.quiet/3, busyLookMin), busyLookMax)))
}

// mayWriteMore reports whether a program that waits for input may still write more: nothing on the screen asks
// for input, and a timer of its group will fire or its wait has a short or unknown time limit. A program that
// reads in one thread and answers in another, or one in a pipeline, waits for input again before it has answered.
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

// answersLater reports whether a program that was given a line may answer it later, because the program
// polls its terminal: it waits for this terminal alone, but with a short or unknown time limit. Such a
// program waits in the same way at its prompt, so only the prompt shows that it has answered.
func (d *decision) answersLater() bool {
	k := &d.Kernel
	limited := k.Waiting && k.OnlyTerminal && k.Timed && (k.SeenAtPrompt && k.TimeLimit < longRead || k.TimeLimit <= maxBriefWait)
	return limited && d.Input.Submitted && !d.FullScreen
}

// unanswered reports whether a program that polls (answersLater) has not shown its prompt again,
// although the text at the cursor may ask for input. Either nothing was written since an input with
// Enter, and the text is the old prompt; or something was written, and the text has the shape of a
// prompt, but the program is known to show another prompt.
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

// waitsBriefly reports whether a program's wait may be too short for a person to answer. After
// Escape, a program may wait for the rest of a key. A full-screen program that waits elsewhere than
// at its known idle places may wait, for example, for the end of another thread. A wait that has
// been renewed without output is not brief.
func (d *decision) waitsBriefly() bool {
	k := &d.Kernel
	elsewhere := d.FullScreen && k.AtOtherPlace
	return (d.Input.EndsInEscape || elsewhere) && k.Timed && k.OnlyTerminal && k.TimeLimit <= maxBriefWait && !k.Renewed && !k.AtIdlePlace
}

// mayBlinkBracket reports whether a line editor may be showing the parenthesis that matches the
// typed one. Octave's readline shows it for half a second before it continues to read. Meanwhile,
// the cursor is in the text, or still in the line where Enter was typed.
func (d *decision) mayBlinkBracket() bool {
	k := &d.Kernel
	edits := d.TTY.Known && !d.TTY.Canonical && !d.FullScreen
	return edits && k.Timed && k.OnlyTerminal && d.Input.Submitted && (!d.Input.Moved || d.OnText)
}

// blinkEnded reports whether the wait that made mayBlinkBracket true has ended without output. If its time
// limit is at least maxBracketBlink or unknown, the wait counts as ended after a pause of maxBracketBlink.
func (d *decision) blinkEnded() bool {
	if d.Kernel.TimeLimit == 0 || d.Kernel.TimeLimit >= maxBracketBlink {
		return d.quietFor(maxBracketBlink)
	}
	return d.Kernel.Renewed
}

// waitsForUser reports whether a program that waits for this terminal waits for the user. A program
// that waits for something else too, and not in an event loop, may be at work.
func (d *decision) waitsForUser() bool {
	if d.Kernel.OnlyTerminal || d.Kernel.EventLoop {
		return true
	}
	if d.FullScreen {
		return d.Kernel.AtIdlePlace
	}
	return d.Kernel.MainIsFish && d.Marks.Running || d.atPrompt()
}

// atPrompt reports whether a program is at its prompt. In the first case, a learned prompt is shown, and
// either the program waits as it has waited at prompts before, or the input had no Enter. In the second
// case, an event loop's line editor has begun to read since the input, and the text asks for input: an
// event loop always waits in the same way, so the wait shows nothing. After Escape, atPrompt is false for
// an event loop, which may be waiting for the rest of a key: fzf waits in this way and then ends.
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

// promptMayBeNew reports whether the prompt at the cursor may have been shown after the input. A
// prompt in the line where Enter was typed is an old one: ssh, for example, waits for the user even
// before the remote side has echoed the typed text. If a line editor has begun to read since the
// input, it has redrawn the prompt, and the prompt is new.
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
// terminal. If the kernel shows nothing, isBusy is false.
func (d *decision) isBusy() bool { return d.Kernel.Known && !d.Kernel.Waiting }
