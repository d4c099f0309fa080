package detect

import (
	"testing"
	"time"
)

// t0 is the time at which the input of every case reached the terminal.
var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// quietFor returns evidence of a child that responded after a millisecond and
// has been quiet for d since, changed by change.
func quietFor(d time.Duration, change func(*Evidence)) Evidence {
	e := Evidence{
		Now:    t0.Add(time.Millisecond + d),
		Input:  Input{At: t0, Typed: true, Submitted: true, Moved: true},
		Output: Output{Last: t0.Add(time.Millisecond), AnswerBytes: 10},
		TTY:    TTY{Known: true, Canonical: true, Echo: true},
		Kernel: Kernel{Current: true},
		Pace:   Rhythm{Settle: minSettle, Redraw: minRedraw},
	}
	if change != nil {
		change(&e)
	}
	return e
}

// waiting sets the kernel's view of a program that waits for this terminal.
func waiting(e *Evidence) {
	e.Kernel = Kernel{Current: true, Known: true, Waiting: true, OnlyTerminal: true, Since: e.Output.Last, At: e.Now, Text: "waits"}
}

// blinking sets the evidence of a line editor that makes a matching parenthesis
// blink. The line is at its beginning, so the text before the cursor equals the
// prompt.
func blinking(e *Evidence) {
	e.TTY = TTY{Known: true}
	e.Kernel.Timed, e.Kernel.SeenAtPrompt, e.Kernel.TimeLimit = true, true, 500*time.Millisecond
	e.Learned.Prompt, e.PromptWhole, e.AtCursor = true, true, "octave:2> "
}

// ticking sets the kernel's view of a program with a prompt that polls its
// terminal: each wait ends with the program's own timer.
func ticking(e *Evidence) {
	e.Kernel.Timed, e.Kernel.SeenAtPrompt, e.Kernel.HasPrompted, e.Kernel.TimeLimit = true, true, true, 100*time.Millisecond
}

// busy sets the kernel's view of a program that is busy with something else.
func busy(e *Evidence) {
	e.Kernel = Kernel{Current: true, Known: true, MainInForeground: true, Since: e.Output.Last, At: e.Now, Text: "is busy"}
}

// looping sets the kernel's view of a program that waits for this terminal in
// its event loop.
func looping(e *Evidence) {
	waiting(e)
	e.Kernel.OnlyTerminal, e.Kernel.EventLoop = false, true
}

// filtering sets the evidence of a full-screen program that filters its input.
func filtering(e *Evidence) {
	busy(e)
	e.FullScreen, e.Kernel.HasReader, e.Kernel.Filters = true, true, true
	e.Output.ResultAt = e.Output.Last
}

// escapingInLine sets the evidence of an event loop after Escape, in a line
// that was begun at its prompt.
func escapingInLine(e *Evidence) {
	looping(e)
	e.Kernel.HasPrompted, e.Input.InLine, e.Input.EndsInEscape, e.LineBegun = true, true, true, true
}

// escaping sets the evidence of a full-screen program that waits a moment after
// Escape.
func escaping(e *Evidence) {
	waiting(e)
	e.FullScreen, e.Input.EndsInEscape, e.Kernel.Timed, e.Kernel.TimeLimit = true, true, true, 25*time.Millisecond
}

func TestDecide(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		name   string
		quiet  time.Duration
		change func(*Evidence)
		want   Reason // "" if the wait continues
		layer  Layer
	}{
		{"exit beats all", 0, func(e *Evidence) { e.Exited = true; e.Input.Queued = true }, Exited, LayerExit},
		{"typed bytes wait", time.Minute, func(e *Evidence) { e.Input.Queued = true; waiting(e) }, "", ""},
		{"unread output", time.Minute, func(e *Evidence) { e.Output.Unread = true; waiting(e) }, "", ""},
		{"marked prompt", 2 * ms, func(e *Evidence) { e.Marks.Prompt = true }, Prompt, LayerMarks},
		{"marked prompt, no look yet", time.Hour, func(e *Evidence) { e.Marks.Prompt = true; e.Kernel = Kernel{} }, "", ""},
		{"marked prompt, typed lines left", busyMarkQuiet - ms, func(e *Evidence) { e.Marks = Marks{Prompt: true, LinesPending: true}; busy(e); e.PromptExpected = true }, "", ""},
		{"marked prompt, lines left, a thread spins", busyMarkQuiet, func(e *Evidence) {
			e.Marks = Marks{Prompt: true, LinesPending: true}
			busy(e)
			e.Kernel.HasReader = true
		}, Prompt, LayerMarks},
		{"marked prompt, lines left, the shell is kept from going on", silentSettle - ms, func(e *Evidence) { e.Marks = Marks{Prompt: true, LinesPending: true}; busy(e) }, "", ""},
		{"marked prompt, lines left for all we know", learnedQuiet - ms, func(e *Evidence) { e.Marks = Marks{Prompt: true, LinesPending: true} }, "", ""},
		{"marked prompt, lines were one command", 2 * ms, func(e *Evidence) { e.Marks = Marks{Prompt: true, LinesPending: true}; waiting(e) }, Prompt, LayerMarks},
		{"marked prompt, other threads busy", busyMarkQuiet, func(e *Evidence) { e.Marks.Prompt = true; busy(e); e.Kernel.HasReader = true }, Prompt, LayerMarks},
		{"marked prompt, other threads busy for a moment", busyMarkQuiet - ms, func(e *Evidence) { e.Marks.Prompt = true; busy(e); e.Kernel.HasReader = true }, "", ""},
		{"marked prompt, the shell waits, its helpers work", 2 * ms, func(e *Evidence) {
			e.Marks.Prompt = true
			busy(e)
			e.Kernel.MainInForeground, e.Kernel.LeaderReads = true, true
		}, Prompt, LayerMarks},
		{"marked prompt that the cursor has left, the shell waits, its helpers work", busyMarkQuiet - ms, func(e *Evidence) {
			busy(e)
			e.Marks.Prompt, e.Marks.CursorMoved, e.Kernel.MainInForeground, e.Kernel.LeaderReads = true, true, true, true
		}, "", ""},
		{"marked prompt that the cursor left long ago, the shell waits, its helpers work", busyMarkQuiet, func(e *Evidence) {
			busy(e)
			e.Marks.Prompt, e.Marks.CursorMoved, e.Kernel.MainInForeground, e.Kernel.LeaderReads = true, true, true, true
		}, Prompt, LayerMarks},
		{"marked prompt after a program that was typed to, helpers of the shell work", flushQuiet, func(e *Evidence) {
			e.Marks.PromptMarked = true
			busy(e)
			e.Kernel.MainInForeground, e.Kernel.LeaderReads, e.PromptExpected = true, true, true
		}, Prompt, LayerMarks},
		{"marked prompt of a shell that waits for more, after a program that was typed to", flushQuiet, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.MainInForeground, e.Marks.PromptMarked, e.Input.Moved = false, true, true, false
		}, Prompt, LayerMarks},
		{"a shell that waits for more, in a read of its own", 5 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.MainIsFish, e.Marks.Running, e.AtCursor = false, true, true, "q? "
		}, AwaitingInput, LayerKernel},
		{"a shell in a read of its own, its helpers work", wordsQuiet, func(e *Evidence) {
			busy(e)
			e.Kernel.LeaderReads, e.Kernel.MainIsFish, e.Marks.Running, e.PromptExpected, e.AtCursor = true, true, true, true, "q? "
		}, AwaitingInput, LayerKernel},
		{"the same, what was typed may not be there yet", flushQuiet - ms, func(e *Evidence) {
			e.Marks.PromptMarked = true
			busy(e)
			e.Kernel.MainInForeground, e.Kernel.LeaderReads, e.PromptExpected = true, true, true
		}, "", ""},
		{"the same, the shell is at work", time.Hour, func(e *Evidence) { e.Marks.PromptMarked = true; busy(e); e.PromptExpected = true }, "", ""},
		{"a shell reads, its helpers work, no prompt", silentSettle, func(e *Evidence) { busy(e); e.Kernel.LeaderReads, e.PromptExpected = true, true }, Settled, LayerSettled},
		{"a program in a shell reads at its prompt, its helpers work", learnedQuiet, func(e *Evidence) {
			busy(e)
			e.Kernel.LeaderReads, e.PromptExpected, e.Learned.Prompt, e.PromptWhole = true, true, true, true
		}, Prompt, LayerLearned},
		{"the same, its first prompt", shapeQuiet, func(e *Evidence) {
			busy(e)
			e.Kernel.LeaderReads, e.PromptExpected, e.Marks.Running, e.AtCursor = true, true, true, "$ "
		}, Prompt, LayerLearned},
		{"the same, another program of the group reads", time.Hour, func(e *Evidence) {
			busy(e)
			e.Kernel.HasReader, e.PromptExpected, e.Learned.Prompt, e.PromptWhole = true, true, true, true
		}, "", ""},
		{"a shell reads, its helpers work, a question", wordsQuiet, func(e *Evidence) {
			busy(e)
			e.Kernel.LeaderReads, e.PromptExpected, e.AtCursor = true, true, "Go on? [Y/n] "
		}, AwaitingInput, LayerLearned},
		{"marked prompt, waiting for good", 0, func(e *Evidence) { e.Marks.Prompt = true; waiting(e); e.Kernel.Final = true }, Prompt, LayerMarks},
		{"marked prompt, the shell at work, by an old look", time.Hour, func(e *Evidence) { e.Marks.Prompt = true; busy(e); e.Kernel.At = e.Now.Add(-2 * staleLook) }, "", ""},
		{"marked prompt, the shell at work", silentSettle - ms, func(e *Evidence) { e.Marks.Prompt = true; busy(e) }, "", ""},
		{"marked prompt, the shell at work for long", silentSettle, func(e *Evidence) { e.Marks.Prompt = true; busy(e) }, Prompt, LayerMarks},
		{"marked prompt, a timed wait as never seen", busyMarkQuiet - ms, func(e *Evidence) { e.Marks.Prompt = true; waiting(e); e.Kernel.Timed = true }, "", ""},
		{"marked prompt, a timed wait as seen before", 2 * ms, func(e *Evidence) {
			e.Marks.Prompt = true
			waiting(e)
			e.Kernel.Timed, e.Kernel.SeenAtPrompt = true, true
		}, Prompt, LayerMarks},
		{"marked prompt, still drawing", ms, func(e *Evidence) { e.Marks.Prompt = true }, "", ""},
		{"a shell that is starting", time.Minute, func(e *Evidence) { e.Marks.Starting = true }, "", ""},
		{"a shell that is starting, a question in its startup files", time.Second, func(e *Evidence) { e.Marks.Starting = true; waiting(e) }, AwaitingInput, LayerKernel},
		{"half-drawn update", 500 * ms, func(e *Evidence) { e.Output.Incomplete = true }, "", ""},
		{"half-drawn update given up", time.Second, func(e *Evidence) { e.Output.Incomplete = true }, Settled, LayerSettled},
		{"kernel: final", 0, func(e *Evidence) { waiting(e); e.Kernel.Final = true }, AwaitingInput, LayerKernel},
		{"kernel: one look", 4 * ms, waiting, "", ""},
		{"kernel: two looks", 5 * ms, waiting, AwaitingInput, LayerKernel},
		{"kernel: input on its way for all we know", flushQuiet - ms, func(e *Evidence) { waiting(e); e.Kernel.InputUnread = true }, "", ""},
		{"kernel: input surely there", flushQuiet, func(e *Evidence) { waiting(e); e.Kernel.InputUnread = true }, AwaitingInput, LayerKernel},
		{"full screen, runs", busySettle - ms, func(e *Evidence) { busy(e); e.FullScreen = true }, "", ""},
		{"full screen, away from its main loop, a timer runs", minRedraw + 399*ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.FullScreen = false, true
			e.Kernel.AtOtherPlace, e.Kernel.WakesAfter = true, 400*ms
		}, "", ""},
		{"full screen, away from its main loop, nothing runs out", minRedraw, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.FullScreen = false, true
			e.Kernel.AtOtherPlace, e.Kernel.WakesAfter = true, 4*time.Second
		}, Settled, LayerSettled},
		{"full screen, in its main loop", 5 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.FullScreen, e.Kernel.AtIdlePlace = false, true, true
		}, AwaitingInput, LayerKernel},
		{"full screen, waits as at a prompt that was seen", 5 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.FullScreen, e.Kernel.SeenAtPrompt = false, true, true
		}, "", ""},
		{"full screen, sleeps elsewhere", minSettle - ms, func(e *Evidence) {
			busy(e)
			e.FullScreen, e.Kernel.Asleep, e.Kernel.HasRead, e.Output.AnswerBytes = true, true, false, 0
		}, "", ""},
		{"full screen, another reads its terminal", minRedraw, func(e *Evidence) { busy(e); e.FullScreen, e.Kernel.Asleep = true, true }, Settled, LayerSettled},
		{"full screen, has read keys and will", time.Hour, func(e *Evidence) { busy(e); e.FullScreen, e.Kernel.Asleep, e.Kernel.HasRead = true, true, true }, "", ""},
		{"full screen, nothing drawn", silentSettle - ms, func(e *Evidence) { busy(e); e.FullScreen, e.Blank = true, true }, "", ""},
		{"kernel: a timed wait", timedQuiet - ms, func(e *Evidence) { waiting(e); e.Kernel.Timed = true }, "", ""},
		{"kernel: a timed wait goes on, at a question", timedQuiet, func(e *Evidence) { waiting(e); e.Kernel.Timed, e.AtCursor = true, "Name: " }, AwaitingInput, LayerKernel},
		{"kernel: a timed wait goes on, at nothing", minSettle - ms, func(e *Evidence) { waiting(e); e.Kernel.Timed, e.AtCursor = true, "step 3" }, "", ""},
		{"kernel: a timed wait goes on and on", minSettle, func(e *Evidence) { waiting(e); e.Kernel.Timed = true }, Settled, LayerSettled},
		{"kernel: a timed wait for a person", timedQuiet, func(e *Evidence) { waiting(e); e.Kernel.Timed, e.Kernel.TimeLimit = true, longRead }, AwaitingInput, LayerKernel},
		{"kernel: a timed wait goes on, full screen", timedQuiet, func(e *Evidence) { waiting(e); e.Kernel.Timed, e.FullScreen = true, true }, AwaitingInput, LayerKernel},
		{"kernel: a timed wait, as at a prompt, which is back", 5 * ms, func(e *Evidence) {
			waiting(e)
			ticking(e)
			e.Learned.Prompt, e.PromptWhole, e.AtCursor = true, true, "> "
		}, Prompt, LayerKernel},
		{"kernel: a timed wait, as at a prompt, which is not back", longRead - ms, func(e *Evidence) { waiting(e); ticking(e) }, "", ""},
		{"the same, for long", longRead, func(e *Evidence) { waiting(e); ticking(e) }, Settled, LayerSettled},
		{"the same, where the line was typed", longRead - ms, func(e *Evidence) {
			waiting(e)
			ticking(e)
			e.Input.Moved, e.AtCursor = false, "> text"
		}, "", ""},
		{"the same, the old prompt stands where nothing was written", longRead - ms, func(e *Evidence) {
			waiting(e)
			ticking(e)
			e.Input.Moved, e.Output.AnswerBytes, e.Learned.Prompt, e.PromptWhole, e.AtCursor = false, 0, true, true, "> "
		}, "", ""},
		{"the same, the prompt came and more after it", quietPolls * 100 * ms, func(e *Evidence) { waiting(e); ticking(e); e.Input.Prompted = true }, Settled, LayerSettled},
		{"the same, at a question", 5 * ms, func(e *Evidence) { waiting(e); ticking(e); e.AtCursor = "Name: " }, AwaitingInput, LayerKernel},
		{"the same, at text with the shape of a prompt", quietPolls*100*ms - ms, func(e *Evidence) { waiting(e); ticking(e); e.AtCursor = "$ " }, "", ""},
		{"the same, some ticks long", quietPolls * 100 * ms, func(e *Evidence) { waiting(e); ticking(e); e.AtCursor = "$ " }, Settled, LayerSettled},
		{"the same, a line editor draws that text", 5 * ms, func(e *Evidence) { waiting(e); ticking(e); e.AtCursor, e.EditorReads = "(rdbg) ", true }, Prompt, LayerKernel},
		{"the same, the program has never prompted", timedQuiet, func(e *Evidence) {
			waiting(e)
			ticking(e)
			e.Kernel.SeenAtPrompt, e.Kernel.HasPrompted, e.AtCursor = false, false, "$ "
		}, Prompt, LayerKernel},
		{"the same, no line was given", 5 * ms, func(e *Evidence) { waiting(e); ticking(e); e.Input.Submitted = false }, AwaitingInput, LayerKernel},
		{"the same, full screen", 5 * ms, func(e *Evidence) { waiting(e); ticking(e); e.FullScreen = true }, AwaitingInput, LayerKernel},
		{"the same, a longer tick than at a prompt", longRead - ms, func(e *Evidence) {
			waiting(e)
			ticking(e)
			e.Kernel.SeenAtPrompt, e.Kernel.TimeLimit = false, maxBriefWait
		}, "", ""},
		{"the same, a wait in which a person may type", minSettle, func(e *Evidence) {
			waiting(e)
			ticking(e)
			e.Kernel.SeenAtPrompt, e.Kernel.TimeLimit = false, maxBriefWait+1
		}, Settled, LayerSettled},
		{"the same, a wait for a person", 5 * ms, func(e *Evidence) { waiting(e); ticking(e); e.Kernel.TimeLimit = longRead }, AwaitingInput, LayerKernel},
		{"kernel: ticks, has never prompted", quietPolls*100*ms - ms, func(e *Evidence) { waiting(e); ticking(e); e.Kernel.HasPrompted, e.Kernel.SeenAtPrompt = false, false }, "", ""},
		{"the same, some ticks later", quietPolls * 100 * ms, func(e *Evidence) { waiting(e); ticking(e); e.Kernel.HasPrompted, e.Kernel.SeenAtPrompt = false, false }, Settled, LayerSettled},
		{"kernel: long ticks, has never prompted", silentSettle, func(e *Evidence) {
			waiting(e)
			ticking(e)
			e.Kernel.HasPrompted, e.Kernel.SeenAtPrompt, e.Kernel.TimeLimit = false, false, maxBriefWait
		}, Settled, LayerSettled},
		{"kernel: ticks and spins", minSettle + 100*ms, func(e *Evidence) {
			waiting(e)
			ticking(e)
			e.AtCursor, e.Output.SpinsUntil = "| working", e.Now.Add(ms)
		}, "", ""},
		{"kernel: a timed wait as at a prompt, where Enter was typed", time.Second, func(e *Evidence) { waiting(e); blinking(e); e.Input.Moved = false }, "", ""},
		{"kernel: that wait has ended and come to nothing", flushQuiet, func(e *Evidence) { waiting(e); blinking(e); e.Input.Moved, e.Kernel.Renewed = false, true }, Prompt, LayerKernel},
		{"kernel: a timed wait as at a prompt, on text of the line", time.Second, func(e *Evidence) { waiting(e); blinking(e); e.OnText = true }, "", ""},
		{"kernel: a timed wait as never seen, where Enter was typed", time.Second, func(e *Evidence) {
			waiting(e)
			blinking(e)
			e.Input.Moved, e.Kernel.SeenAtPrompt, e.Learned, e.AtCursor = false, false, Learned{}, "octave:1> system"
		}, "", ""},
		{"kernel: a long wait where Enter was typed", maxBracketBlink, func(e *Evidence) { waiting(e); blinking(e); e.Input.Moved, e.Kernel.TimeLimit = false, time.Minute }, Prompt, LayerKernel},
		{"kernel: a timed wait that never ends, it seems", silentSettle, func(e *Evidence) { waiting(e); blinking(e); e.OnText = true }, Prompt, LayerKernel},
		{"kernel: a timed wait behind the prompt", 5 * ms, func(e *Evidence) { waiting(e); blinking(e) }, Prompt, LayerKernel},
		{"kernel: other threads, full screen, nothing written", silentQuiet - ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OthersWake, e.FullScreen, e.Output.AnswerBytes = true, true, 0
		}, "", ""},
		{"kernel: other threads, full screen, still nothing written", silentQuiet, func(e *Evidence) {
			waiting(e)
			e.Kernel.OthersWake, e.FullScreen, e.Output.AnswerBytes = true, true, 0
		}, AwaitingInput, LayerKernel},
		{"kernel: other threads, at a prompt", 5 * ms, func(e *Evidence) { waiting(e); e.Kernel.OthersWake, e.AtCursor = true, "j> " }, Prompt, LayerKernel},
		{"kernel: other threads, at nothing", minSettle - ms, func(e *Evidence) { waiting(e); e.Kernel.OtherDue = e.Now }, "", ""},
		{"kernel: other threads go on", minSettle, func(e *Evidence) { waiting(e); e.Kernel.OtherDue = e.Now }, Settled, LayerSettled},
		{"kernel: at a prompt", 5 * ms, func(e *Evidence) { waiting(e); e.AtCursor = "sqlite> " }, Prompt, LayerKernel},
		{"kernel: at a question", 5 * ms, func(e *Evidence) { waiting(e); e.AtCursor = "Go on? [Y/n] " }, AwaitingInput, LayerKernel},
		{"kernel: full screen", 5 * ms, func(e *Evidence) { waiting(e); e.FullScreen = true; e.AtCursor = "$ " }, AwaitingInput, LayerKernel},
		{"kernel: password by modes", 5 * ms, func(e *Evidence) { waiting(e); e.TTY.Echo = false }, Password, LayerKernel},
		{"kernel: password by words", 5 * ms, func(e *Evidence) { waiting(e); e.AtCursor = "root's password: " }, Password, LayerKernel},
		{"kernel: waits for others too", 29 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal = false
			e.Learned.Prompt, e.PromptWhole = true, true
		}, "", ""},
		{"kernel: waits for others too, as at a prompt", 5 * ms, func(e *Evidence) {
			waiting(e)
			e.PromptWhole = true
			e.Kernel.OnlyTerminal, e.Kernel.SeenAtPrompt = false, true
			e.Learned.Prompt = true
			e.AtCursor = "$ "
		}, Prompt, LayerKernel},
		{"kernel: waits for others too, text that ends like the prompt", 190 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.SeenAtPrompt, e.Kernel.HasPrompted = false, true, true
			e.Learned.Prompt, e.AtCursor = true, ">>> "
		}, "", ""},
		{"kernel: waits for others too, at the old prompt", 10 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.SeenAtPrompt = false, true
			e.Learned.Prompt, e.Input.Moved, e.AtCursor = true, false, "$ "
		}, "", ""},
		{"kernel: waits for others too, prompt known", 30 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal = false
			e.Learned.Prompt, e.PromptWhole = true, true
		}, Prompt, LayerLearned},
		{"kernel: waits as at a prompt", 5 * ms, func(e *Evidence) {
			waiting(e)
			e.PromptWhole = true
			e.Kernel.OnlyTerminal, e.Kernel.SeenAtPrompt, e.Learned.Prompt = false, true, true
		}, Prompt, LayerKernel},
		{"kernel: waits as at a prompt, in text that nobody drew", 190 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.SeenAtPrompt, e.Kernel.HasPrompted = false, true, true
			e.Learned.Prompt, e.PromptWhole, e.SameForeground, e.AtCursor = true, false, true, "> "
		}, "", ""},
		{"kernel: waits as at a prompt, without one", 99 * ms, func(e *Evidence) { waiting(e); e.Kernel.OnlyTerminal, e.Kernel.SeenAtPrompt = false, true }, "", ""},
		{"kernel: reads keys, has asked nothing", longRead - ms, func(e *Evidence) { waiting(e); e.Kernel.OnlyTerminal, e.Kernel.HasPrompted = false, true }, "", ""},
		{"kernel: reads keys, has asked nothing for long", longRead, func(e *Evidence) { waiting(e); e.Kernel.OnlyTerminal, e.Kernel.HasPrompted = false, true }, Settled, LayerSettled},
		{"kernel: reads keys, its next timer is far off", silentSettle, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.HasPrompted, e.Kernel.Timed, e.Kernel.TimeLimit = false, true, true, longRead
		}, Settled, LayerSettled},
		{"kernel: a line editor's prompt where the input was typed", 29 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Input.Moved, e.Learned.Prompt, e.PromptWhole, e.EditorReads = false, false, true, true, true
		}, "", ""},
		{"the same, in time", 30 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Input.Moved, e.Learned.Prompt, e.PromptWhole, e.EditorReads = false, false, true, true, true
		}, Prompt, LayerLearned},
		{"kernel: yes or no, but a timer goes on", minSettle - ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.Timed, e.Kernel.TimeLimit, e.AtCursor = false, true, 400*ms, "Go on? [Y/n] "
		}, "", ""},
		{"full screen, shows a terminal that waits for good", minRedraw - ms, func(e *Evidence) {
			waiting(e)
			e.FullScreen, e.Kernel.Final, e.Kernel.Nested, e.Kernel.Since = true, true, true, e.Output.Last
		}, "", ""},
		{"the same, has drawn it", minRedraw, func(e *Evidence) {
			waiting(e)
			e.FullScreen, e.Kernel.Final, e.Kernel.Nested, e.Kernel.Since = true, true, true, e.Output.Last
		}, AwaitingInput, LayerKernel},
		{"kernel: a further line's prompt", learnedQuiet, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.HasPrompted, e.Continuation, e.AtCursor = false, true, true, "... "
		}, Prompt, LayerLearned},
		{"kernel: the text that was typed at, again", 5 * ms, func(e *Evidence) { waiting(e); e.TextUnchanged, e.AtCursor = true, "; " }, Prompt, LayerKernel},
		{"kernel: the text that was typed at, still", 5 * ms, func(e *Evidence) {
			waiting(e)
			e.TextUnchanged, e.Input.Moved, e.AtCursor = true, false, "; "
		}, AwaitingInput, LayerKernel},
		{"busy, has read its terminal before", time.Minute, func(e *Evidence) { busy(e); e.Kernel.HasRead = true }, "", ""},
		{"blind: yes or no", wordsQuiet, func(e *Evidence) { waiting(e); e.Kernel.OnlyTerminal, e.AtCursor = false, "Go on? [Y/n] " }, AwaitingInput, LayerLearned},
		{"blind: a password", wordsQuiet, func(e *Evidence) { waiting(e); e.Kernel.OnlyTerminal, e.AtCursor = false, "password: " }, Password, LayerLearned},
		{"blind: a password, answered", shapeQuiet, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.AtCursor, e.Input.Moved, e.Output.AnswerBytes = false, "password: ", false, 0
		}, "", ""},
		{"blind: a password, half typed", wordsQuiet, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.AtCursor, e.Input.Moved, e.Input.Submitted, e.Output.AnswerBytes = false, "password: ", false, false, 0
		}, Password, LayerLearned},
		{"hidden: a password by modes, answered", time.Second, func(e *Evidence) { e.TTY.Echo = false; e.Output.AnswerBytes = 0 }, "", ""},
		{"kernel: reads keys, has asked something", minSettle, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.HasPrompted, e.AtCursor = false, true, "name"
		}, Settled, LayerSettled},
		{"kernel: busy behind a fake prompt", 150 * ms, func(e *Evidence) { busy(e); e.Learned.Prompt, e.SameForeground = true, true; e.AtCursor = "$ " }, "", ""},
		{"starts", startSettle - ms, func(e *Evidence) { busy(e); e.Input.Typed, e.Output.AnswerBytes = false, 0 }, "", ""},
		{"starts, has set up the terminal", startSettle - ms, func(e *Evidence) { busy(e); e.Input.Typed, e.Blank = false, true }, "", ""},
		{"starts, has run just now", startSettle - ms, func(e *Evidence) {
			busy(e)
			e.Kernel.Asleep, e.Kernel.Since = true, e.Now.Add(-startRest+ms)
			e.Input.Typed, e.Output.AnswerBytes = false, 0
		}, "", ""},
		{"has started, and rests", silentSettle, func(e *Evidence) {
			busy(e)
			e.Kernel.Asleep, e.Kernel.Since = true, e.Now.Add(-startRest)
			e.Input.Typed, e.Output.AnswerBytes = false, 0
		}, Settled, LayerSettled},
		{"kernel: busy, prompt to come", time.Hour, func(e *Evidence) { busy(e); e.PromptExpected = true }, "", ""},
		{"kernel: busy, nothing to come", silentSettle, busy, Settled, LayerSettled},
		{"kernel: asleep elsewhere, nothing to come", busySettle, func(e *Evidence) { busy(e); e.Kernel.Asleep = true }, Settled, LayerSettled},
		{"secret without a view", secretQuiet, func(e *Evidence) { e.TTY.Echo = false }, Password, LayerKernel},
		{"secret, too early", secretQuiet - ms, func(e *Evidence) { e.TTY.Echo = false }, "", ""},
		{"secret, modes just changed", time.Second, func(e *Evidence) { e.TTY.Echo = false; e.TTY.Since = e.Now.Add(-50 * ms); e.Output.AnswerBytes = 0 }, "", ""},
		{"secret of a hidden program", secretAsleep, func(e *Evidence) {
			busy(e)
			e.TTY.Echo, e.Kernel.Asleep, e.PromptExpected, e.AtCursor = false, true, true, "[sudo] password for me: "
		}, Password, LayerKernel},
		{"echo off while a program sleeps", secretAsleep, func(e *Evidence) { busy(e); e.TTY.Echo = false; e.Kernel.Asleep = true; e.PromptExpected = true }, "", ""},
		{"secret in the terminal inside", 5 * ms, func(e *Evidence) { waiting(e); e.Kernel.Secret = true }, Password, LayerKernel},
		{"marks shown again by another program", time.Minute, func(e *Evidence) {
			e.Marks.Prompt = true
			busy(e)
			e.Kernel.MainInForeground = false
			e.PromptExpected = true
		}, "", ""},
		{"secret of a running program", time.Second - ms, func(e *Evidence) { busy(e); e.TTY.Echo = false }, "", ""},
		{"rhythm of a command", 2 * time.Second, func(e *Evidence) { busy(e); e.PromptExpected = true; e.Pace.Periodic = true }, "", ""},
		{"rhythm of a command, for long", time.Minute, func(e *Evidence) { busy(e); e.PromptExpected = true; e.Pace.Periodic = true }, "", ""},
		{"a spinner of a command", time.Second, func(e *Evidence) { busy(e); e.Output.SpinsUntil = e.Now.Add(ms) }, "", ""},
		{"a spinner that has stopped", time.Second, func(e *Evidence) { busy(e); e.Kernel.Asleep = true; e.Output.SpinsUntil = e.Now }, Settled, LayerSettled},
		{"a spinner of an event loop", time.Second, func(e *Evidence) { looping(e); e.Output.SpinsUntil = e.Now.Add(ms) }, "", ""},
		{"a spinner of one that reads keys alone", 5 * ms, func(e *Evidence) { waiting(e); e.FullScreen = true; e.Output.SpinsUntil = e.Now.Add(ms) }, AwaitingInput, LayerKernel},
		{"event loop: no timer", 0, func(e *Evidence) { looping(e); e.Kernel.Final = true }, AwaitingInput, LayerKernel},
		{"event loop: no timer of concern", 5 * ms, looping, AwaitingInput, LayerKernel},
		{"event loop: a timer since the input", time.Hour, func(e *Evidence) { looping(e); e.Kernel.AnswerDue = e.Now.Add(ms) }, "", ""},
		{"event loop: the same, text that asks", time.Hour, func(e *Evidence) { looping(e); e.Kernel.AnswerDue = e.Now.Add(ms); e.AtCursor = "Name? " }, "", ""},
		{"event loop: the same, a line editor asks", 5 * ms, func(e *Evidence) {
			looping(e)
			e.Kernel.AnswerDue, e.AtCursor, e.EditorReads = e.Now.Add(ms), "ask: ", true
		}, AwaitingInput, LayerKernel},
		{"event loop: another timer far off", minRedraw, func(e *Evidence) { looping(e); e.Kernel.OtherDue = e.Now.Add(time.Second) }, Settled, LayerSettled},
		{"event loop: another timer soon", minSettle - ms, func(e *Evidence) { looping(e); e.Kernel.OtherDue = e.Now.Add(ms) }, "", ""},
		{"event loop: another timer soon, a menu's key", minRedraw, func(e *Evidence) {
			looping(e)
			e.Kernel.OtherDue, e.CursorHidden, e.Input.Submitted = e.Now.Add(ms), true, false
		}, Settled, LayerSettled},
		{"event loop: the sign of a spinner", spinQuiet - ms, func(e *Evidence) { looping(e); e.Kernel.OtherDue = e.Now.Add(ms); e.Output.Busy = BusySpins }, "", ""},
		{"event loop: says that it works", silentSettle - ms, func(e *Evidence) { looping(e); e.Kernel.OtherDue = e.Now.Add(ms); e.Output.Busy = BusySays }, "", ""},
		{"event loop: at home in spite of a timer", timedQuiet, func(e *Evidence) {
			looping(e)
			e.Kernel.OtherDue, e.Kernel.AtIdlePlace, e.FullScreen = e.Now.Add(ms), true, true
		}, AwaitingInput, LayerKernel},
		{"event loop: one look, long ago", kernelQuiet, func(e *Evidence) { looping(e); e.Kernel.At = e.Kernel.Since }, "", ""},
		{"event loop: another thread wakes all the time", unstableFactor*kernelQuiet - ms, func(e *Evidence) { looping(e); e.Kernel.Since = e.Now }, "", ""},
		{"event loop: the same, for longer", unstableFactor * kernelQuiet, func(e *Evidence) { looping(e); e.Kernel.Since = e.Now }, AwaitingInput, LayerKernel},
		{"event loop: polls for the rest of a key, in a line that was begun", learnedQuiet, func(e *Evidence) {
			escapingInLine(e)
			e.Kernel.OtherDue = e.Now.Add(ms)
		}, "", ""},
		{"event loop: waits for the rest of a key, in a line that was begun", learnedQuiet, func(e *Evidence) {
			escapingInLine(e)
			e.Kernel.AnswerDue = e.Now.Add(ms)
		}, "", ""},
		{"event loop: a menu of a program that has prompted", minRedraw, func(e *Evidence) {
			looping(e)
			e.Kernel.OtherDue, e.Kernel.HasPrompted, e.CursorHidden = e.Now.Add(time.Second), true, true
		}, Settled, LayerSettled},
		{"asleep until a timer since the input", time.Hour, func(e *Evidence) { busy(e); e.Kernel.Asleep = true; e.Kernel.AnswerDue = e.Now.Add(ms) }, "", ""},
		{"Escape, which may begin a key", 100 * ms, escaping, "", ""},
		{"Escape, as its wait is about to end", maxBriefWait, escaping, "", ""},
		{"Escape, long after", briefWaitLimit, escaping, AwaitingInput, LayerKernel},
		{"Escape, and the wait for the rest is over", timedQuiet, func(e *Evidence) { escaping(e); e.Kernel.Renewed = true }, AwaitingInput, LayerKernel},
		{"Escape in a program that waits for longer", timedQuiet, func(e *Evidence) { escaping(e); e.Kernel.TimeLimit = 2 * maxBriefWait }, AwaitingInput, LayerKernel},
		{"Escape in the main loop of an editor", kernelQuiet, func(e *Evidence) { escaping(e); e.Kernel.AtIdlePlace = true }, AwaitingInput, LayerKernel},
		{"a full screen that waits for a moment, elsewhere than in its main loop", 100 * ms, func(e *Evidence) {
			escaping(e)
			e.Input.EndsInEscape, e.Kernel.AtOtherPlace = false, true
		}, "", ""},
		{"a filter whose input comes, too early", filterDelay - ms, filtering, "", ""},
		{"a filter whose input comes", filterDelay, filtering, AwaitingInput, LayerKernel},
		{"the program inside a full screen works", silentSettle, func(e *Evidence) {
			busy(e)
			e.Kernel.Asleep, e.Kernel.Nested, e.Kernel.HasRead, e.FullScreen = true, true, true, true
		}, "", ""},
		{"rhythm of a full screen that has read keys", periodicBusy, func(e *Evidence) {
			busy(e)
			e.FullScreen, e.Kernel.HasRead, e.Pace.Periodic = true, true, true
		}, Settled, LayerSettled},
		{"full screen, waits for others too", minRedraw, func(e *Evidence) { waiting(e); e.Kernel.OnlyTerminal = false; e.FullScreen = true }, Settled, LayerSettled},
		{"raw without echo is not a secret", 50 * ms, func(e *Evidence) { e.TTY = TTY{Known: true} }, "", ""},
		{"learned, same foreground", 4 * ms, func(e *Evidence) { e.Learned.Prompt, e.SameForeground = true, true }, Prompt, LayerLearned},
		{"learned, not moved", 100 * ms, func(e *Evidence) { e.Learned.Prompt, e.SameForeground = true, true; e.Input.Moved = false }, "", ""},
		{"learned elsewhere", 29 * ms, func(e *Evidence) { e.Learned.Prompt = true }, "", ""},
		{"shape of a prompt", 100 * ms, func(e *Evidence) { e.AtCursor = ">>> " }, Prompt, LayerLearned},
		{"shape of a prompt, the program has another", 199 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.HasPrompted = false, true
			e.AtCursor = "$ "
		}, "", ""},
		{"shape of a prompt, drawn by a line editor, the program has another", 100 * ms, func(e *Evidence) {
			waiting(e)
			e.Kernel.OnlyTerminal, e.Kernel.HasPrompted, e.EditorReads, e.AtCursor = false, true, true, "$ "
		}, Prompt, LayerLearned},
		{"shape of a prompt, early", 99 * ms, func(e *Evidence) { e.AtCursor = ">>> " }, "", ""},
		{"no look yet", time.Hour, func(e *Evidence) { e.Kernel = Kernel{}; e.AtCursor = "$ " }, "", ""},
		{"quiet", minSettle, nil, Settled, LayerSettled},
		{"not quiet yet", minSettle - ms, nil, "", ""},
		{"silent so far", silentSettle - ms, func(e *Evidence) { e.Output.AnswerBytes = 0 }, "", ""},
		{"silent for long", silentSettle, func(e *Evidence) { e.Output.AnswerBytes = 0 }, Settled, LayerSettled},
		{"rhythm", 20 * ms, func(e *Evidence) { e.Pace.Periodic = true }, "", ""},
		{"marks: a command runs", time.Hour, func(e *Evidence) { e.Marks.Running = true; e.AtCursor = "$ " }, "", ""},
	}
	for _, tt := range tests {
		v := Decide(quietFor(tt.quiet, tt.change))
		if v.Done != (tt.want != "") || v.Reason != tt.want || v.Layer != tt.layer {
			t.Errorf("%s: got %+v, want reason %q by layer %q", tt.name, v, tt.want, tt.layer)
		}
		if v.Done && len(v.Why) == 0 {
			t.Errorf("%s: the verdict gives no evidence", tt.name)
		}
	}
}

// TestDecideEnds checks that deciding again at each time in Again leads to a
// verdict within 100 rounds, whatever the evidence.
func TestDecideEnds(t *testing.T) {
	for name, change := range map[string]func(*Evidence){
		"plain":   nil,
		"held":    func(e *Evidence) { e.Output.Incomplete = true },
		"shape":   func(e *Evidence) { e.AtCursor = "$ " },
		"kernel":  waiting,
		"rhythm":  func(e *Evidence) { e.Pace.Periodic = true },
		"silent":  func(e *Evidence) { e.Output.AnswerBytes = 0 },
		"no echo": func(e *Evidence) { e.TTY.Echo = false },
	} {
		now := t0.Add(time.Millisecond)
		for rounds := 0; ; rounds++ {
			if rounds > 100 {
				t.Errorf("%s: no verdict %s after the input", name, now.Sub(t0))
				break
			}
			e := quietFor(0, change)
			e.Now = now
			v := Decide(e)
			if !v.Done {
				e.Kernel.At = now
				v = Decide(e)
			}
			if v.Done {
				break
			}
			if !v.Again.After(now) {
				t.Errorf("%s: at %s, Again is %s, want a later time", name, now.Sub(t0), v.Again.Sub(t0))
				break
			}
			now = v.Again
		}
	}
}

// TestDecideBusyLooks checks that a silent busy program is looked at less and
// less often, but at least every busyLookMax.
func TestDecideBusyLooks(t *testing.T) {
	now, looks := t0.Add(time.Millisecond), 0
	for now.Before(t0.Add(10 * time.Second)) {
		e := quietFor(0, func(e *Evidence) { busy(e); e.PromptExpected = true })
		e.Now = now
		v := Decide(e)
		if v.Done || !v.Again.After(now) {
			t.Fatalf("at %s: %+v, want a later look", now.Sub(t0), v)
		}
		if wait := v.Again.Sub(now); wait > busyLookMax {
			t.Fatalf("at %s: next look after %s, want at most %s", now.Sub(t0), wait, busyLookMax)
		}
		now = v.Again
		looks++
	}
	if looks > 150 {
		t.Errorf("got %d looks in 10 s of silence", looks)
	}
}
