package detect

import "time"

// Evidence is everything on which a verdict is based, at one moment. In its comments,
// "the input" is the last input of the session, or the start of the session if there was
// none. The verdict is about the time since the input.
type Evidence struct {
	Now time.Time

	// Exited reports whether the child was reaped and its terminal drained.
	Exited bool

	Input  Input
	Output Output

	// AtCursor is the text left of the cursor in its line, including blanks.
	AtCursor string
	// OnText reports whether the cursor is on a character rather than after the text.
	OnText bool
	// Edited reports whether a line editor has begun to read since the input: it has set
	// bracketed paste.
	Edited bool
	// CursorHidden reports whether the cursor is hidden although the program does not use
	// the full screen. Such a program draws its menus and fields itself and has no prompt
	// at the cursor.
	CursorHidden bool
	// FullScreen reports whether the program uses the whole screen.
	FullScreen bool
	// Blank reports whether the screen shows no text, although the program uses the whole
	// screen or has had no input yet.
	Blank bool

	TTY    TTY
	Marks  Marks
	Kernel Kernel
	Learned
	Pace Rhythm // of the output
}

// Input describes the last input.
type Input struct {
	// Queued reports whether some typed bytes have not reached the terminal yet.
	Queued bool
	// At is the time when the input reached the terminal, or when the child started.
	At time.Time
	// Typed reports whether there was any input since the child started.
	Typed bool
	// Submitted reports whether the input ended with Enter or a control character, so
	// that more than an echo is expected.
	Submitted bool
	// Escaped reports whether the last key is Escape, which is also the first byte of the
	// sequences of other keys.
	Escaped bool
	// InLine reports whether the input had no Enter and was not a secret, so that the cursor
	// stays in the line that is being edited.
	InLine bool
	// Moved reports whether the cursor is past the line where the input was typed. On a pipe,
	// and if the cursor is outside the text, it reports whether there was output since the input.
	Moved bool
	// Prompted reports whether a learned prompt, followed by more text, has been shown
	// since the input.
	Prompted bool
}

// Output describes the child's output.
type Output struct {
	// Last is the time when the child last wrote, or zero if it never has.
	Last time.Time
	// Since is the number of bytes written since the input.
	Since int64
	// Unread reports whether there is unread output in the terminal, or a read is in
	// progress that may return some.
	Unread bool
	// ResultAt is the time since which the screen has shown the result of the input, or zero
	// if there is no result yet. An unrelated change of the screen may be mistaken for it.
	ResultAt time.Time
	// SpinsUntil is set if the same few rows of the screen keep changing. It is the time
	// at which they will count as stopped unless they change again.
	SpinsUntil time.Time
	// Busy tells whether the text that has appeared on the screen since the input shows that the
	// program is working.
	Busy Busy
	// Incomplete reports whether the screen is only partly drawn: a control sequence or
	// character is incomplete, or a synchronized update (mode 2026) has begun.
	Incomplete bool
}

// TTY describes the modes of the terminal (termios).
type TTY struct {
	Known     bool
	Canonical bool
	Echo      bool
	// Since is the time when the current modes were first seen.
	Since time.Time
}

// secret reports whether the modes are those for entering a password.
func (t TTY) secret() bool { return t.Known && t.Canonical && !t.Echo }

// Marks describes trusted shell marks (OSC 133).
type Marks struct {
	// Prompt reports whether the shell has run the input (C or D) and then marked the end
	// of its prompt (B). If there was no input, B is enough.
	Prompt bool
	// CursorMoved reports whether the cursor is not at the end of the prompt although nothing was
	// typed there: the program has written something since.
	CursorMoved bool
	// TypedAhead reports whether the shell has marked the end of its prompt since the input,
	// which was typed while a command ran. Either the command has read the input, or the
	// shell will read it.
	TypedAhead bool
	// LinesPending reports whether more lines were typed than prompts were shown. The shell may
	// be about to read the next line, unless several lines were one command.
	LinesPending bool
	// Running reports whether the shell has begun a command that has not ended.
	Running bool
	// Starting reports whether the shell is about to show its first prompt or the one
	// after a command. Programs that it runs before may be silent for a long time.
	Starting bool
}

// Kernel describes what the foreground processes wait for, according to the last look at
// the kernel. There was no output or input after that look.
type Kernel struct {
	// At is when the look was taken. A process that was just starting at that time may be in
	// the foreground now.
	At time.Time
	// Looked is false while a look after the last output and input is still expected. If the
	// kernel cannot be asked, Looked is true and Known is false.
	Looked bool
	// Known reports whether the kernel has answered. If not, all other fields except Looked
	// are zero.
	Known bool
	// Waiting reports whether one of the processes ("the waiting process" below) waits to read
	// this terminal, none runs, and they have run since the input.
	Waiting bool
	// Asleep reports whether none of the processes runs or is about to.
	Asleep bool
	// Listens reports whether one of the processes waits to read this terminal. Others may
	// still be running.
	Listens bool
	// Filters reports whether that process shows the output of another program that is still
	// running, as less does.
	Filters bool
	// Relayed reports whether the process waits in another terminal, which a program in
	// this terminal displays.
	Relayed bool
	// Final reports whether only input, a signal or a process outside of the foreground group can
	// make the processes continue. Then no second look is needed.
	Final bool
	// Unproven reports whether the waiting process may have begun to wait before the
	// input: it ran while the input was written and has written nothing since. On a busy
	// machine, the kernel may take a long time to deliver input.
	Unproven bool
	// Sole reports whether the waiting process waits only for this terminal.
	Sole bool
	// Loop reports whether the waiting process waits in an event loop: in addition to
	// input, only timers and its own processes wake it.
	Loop bool
	// AnswerDue is the time of the next timer that may belong to the input, or zero if there is
	// none. Nothing happens before that time, unless something else wakes the processes.
	AnswerDue time.Time
	// OtherDue is the time of the next timer that does not belong to the input, or zero if
	// there is none in the near future. It hides later timers, because an event loop waits
	// only for its first timer.
	OtherDue time.Time
	// SeenAtPrompt reports whether the program has waited in the same way at a confirmed prompt.
	// This alone does not prove a prompt: a program may read keys in the same way while it
	// waits for a timer, as node does in an await. The text of the prompt decides.
	SeenAtPrompt bool
	// AtIdlePlace reports whether a full-screen program waits at a place in its code where it has
	// been idle before.
	AtIdlePlace bool
	// AtOtherPlace reports whether such places are known and the program waits at another one.
	AtOtherPlace bool
	// WakesAfter is how long the program will wait before its own timer wakes it, or 0 if it
	// has no timer.
	WakesAfter time.Duration
	// Timed reports whether the wait has a time limit.
	Timed bool
	// TimeLimit is that limit, from the beginning of the wait, or 0 if it is not known.
	TimeLimit time.Duration
	// Renewed reports whether a wait with a time limit has ended and another has begun, with no
	// output or input in between.
	Renewed bool
	// Secret reports whether the program waits in a terminal inside this one (script,
	// expect) whose modes are those for entering a password.
	Secret bool
	// OthersWake reports whether something other than input, such as a timer, may wake another
	// thread of the processes.
	OthersWake bool
	// HasPrompted reports whether the foreground program has shown a prompt before.
	HasPrompted bool
	// MainInForeground reports whether the session's own program is in the foreground.
	MainInForeground bool
	// BuiltinAsks reports whether the session's program is a shell, such as fish, that waits at
	// its prompt in the same way as when a built-in command such as read asks for input.
	BuiltinAsks bool
	// MainReads reports whether the session's own program waits to read this terminal while
	// other processes of its group are busy.
	MainReads bool
	// HasRead reports whether the foreground program has waited to read this terminal before.
	HasRead bool
	// Since is the time from which on all looks have been the same.
	Since time.Time
	// Text describes the look in words.
	Text string
}

// Learned compares the text at the cursor with earlier prompts of the session.
type Learned struct {
	// Prompt reports whether the text at the cursor ends in a learned prompt.
	Prompt bool
	// PromptWhole reports whether both of these are true: the prompt begins its line, or a line
	// editor has drawn all of it; and it has control sequences if it always had them before.
	PromptWhole bool
	// LineBegun reports whether the text begins with a learned prompt and a line is being
	// edited after it: the input had no Enter, and the cursor has not left the line.
	LineBegun bool
	// Continuation reports whether the text looks like a continuation prompt of a program
	// with a learned prompt.
	Continuation bool
	// TextUnchanged reports whether the text, apart from numbers and paths, is the same as when the
	// input was typed, and is not a question. Such a text is probably a prompt of an unknown form.
	TextUnchanged bool
	// SameForeground reports whether the foreground process and the terminal's modes are the
	// same as when the prompt was learned.
	SameForeground bool
	// PromptExpected reports whether a program that has shown a prompt before is still running
	// and will show one when it has finished its work.
	PromptExpected bool
}

// A Rhythm describes the pauses in the session's output; see Pace.
type Rhythm struct {
	// Settle is the length of a pause that counts as the end of an answer.
	Settle time.Duration
	// Redraw is the length of a pause that counts as the end of a full-screen program's
	// redraw after a key.
	Redraw time.Duration
	// Periodic reports whether the program repaints at regular intervals and has just
	// finished a frame.
	Periodic bool
}
