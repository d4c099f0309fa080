package detect

import "time"

// Evidence is everything that a verdict is based on, at one moment. In the comments of this
// file, "the input" is the last input of the session or, if there was none, the start of the
// session. The verdict is about the time since the input.
type Evidence struct {
	Now time.Time

	// Exited reports whether the child was reaped and its terminal drained.
	Exited bool

	Input  Input
	Output Output

	// AtCursor is the text left of the cursor in its line, including blanks.
	AtCursor string
	// OnText reports whether the cursor is on a character that is not a blank.
	OnText bool
	// EditorReads reports whether a line editor has switched bracketed paste on since the input, and
	// still reads. It is false if a mark shows the end of the editor's prompt.
	EditorReads bool
	// CursorHidden reports whether a program that is not full-screen hides the cursor. Such a
	// program draws its menus and fields itself and has no prompt at the cursor.
	CursorHidden bool
	// FullScreen reports whether the program uses the whole screen, as an editor does.
	FullScreen bool
	// Blank reports whether the screen of a full-screen program, or of one without input, is empty.
	Blank bool

	TTY    TTY
	Marks  Marks
	Kernel Kernel
	Learned
	Pace Rhythm // of the output
}

// Input describes the last input.
type Input struct {
	// Queued reports whether part of the input has not been written to the terminal yet.
	Queued bool
	// At is when the last part of the input was written, or when the child started.
	At time.Time
	// Typed reports whether there was any input since the child started.
	Typed bool
	// Submitted reports whether the input ended with Enter or a control character, so
	// that more than an echo is expected.
	Submitted bool
	// EndsInEscape reports whether the input ended with Escape, which is also the first byte of the
	// sequences of other keys.
	EndsInEscape bool
	// InLine reports whether the input had no Enter and was not a secret, so that the cursor
	// stays in the line that is being edited.
	InLine bool
	// Moved reports whether the cursor is below the line where the input was typed, or that line
	// is not known. On a pipe, and for a program that draws its rows itself without being
	// full-screen, Moved reports whether there was output since the input.
	Moved bool
	// Prompted reports whether a line below the input has a learned prompt and more text. It is
	// set only if no text is left of the cursor, and a program that has prompted waits for more
	// than its terminal, or with a time limit.
	Prompted bool
}

// Output describes the child's output.
type Output struct {
	// Last is the time when the child last wrote, or zero if it never has.
	Last time.Time
	// AnswerBytes is the number of bytes written since the input. A line feed alone counts as 0.
	AnswerBytes int64
	// Unread reports whether there is unread output in the terminal, or a read is in
	// progress that may return some.
	Unread bool
	// ResultAt is when the screen first showed the result of the input, or zero if the text has
	// not changed. As long as a typed character has not appeared at the cursor, ResultAt is some
	// time after the first change, and may be in the future.
	ResultAt time.Time
	// SpinsUntil is zero unless the same one or two rows of the screen keep changing. It is the
	// time at which these rows count as stopped, unless they change again.
	SpinsUntil time.Time
	// Busy is the highest SaysBusy of the rows that have changed since the input.
	Busy Busy
	// Incomplete reports whether the screen is only partly drawn: a control sequence or
	// character is incomplete, or a synchronized update (mode 2026) is in progress.
	Incomplete bool
}

// TTY describes the modes of the terminal (termios).
type TTY struct {
	Known     bool
	Canonical bool
	Echo      bool
	// Since is when the present foreground process group was first seen with these modes.
	Since time.Time
}

// secret reports whether the modes are those for entering a password.
func (t TTY) secret() bool { return t.Known && t.Canonical && !t.Echo }

// Marks describes trusted shell marks (OSC 133).
type Marks struct {
	// Prompt reports whether the shell has handled the input (C or D) and then marked the end
	// of its prompt (B). If there was no input, B is enough.
	Prompt bool
	// CursorMoved reports whether the cursor is not at the end of the prompt although nothing was
	// typed there: something has been written after the prompt.
	CursorMoved bool
	// PromptMarked reports whether the shell has marked the end of its prompt since the input. If
	// Prompt is false, the input was typed while a command ran: either the command has read the
	// input, or the shell will read it.
	PromptMarked bool
	// LinesPending reports whether more lines were typed than prompts were shown. The shell may
	// be about to read the next line, unless several lines were one command.
	LinesPending bool
	// Running reports whether the shell has begun a command that has not ended.
	Running bool
	// Starting reports whether the shell is about to show its first prompt, or the prompt after a
	// command. Programs that the shell runs first may be silent for a long time.
	Starting bool
}

// Kernel describes what the processes of the foreground group wait for, according to the last
// look: a look is one sample of what the operating system shows (package session/kernel).
type Kernel struct {
	// At is when the look was taken.
	At time.Time
	// Current is false while a look after the last output and input is still expected. If the
	// kernel cannot be asked, Current is true and Known is false.
	Current bool
	// Known reports whether the look has succeeded. If not, all other fields except Current
	// are zero.
	Known bool
	// Waiting reports whether one of the processes ("the waiting process" below) waits to read
	// this terminal, none runs, and they have run since the input or the terminal itself has handled
	// the input. Waiting is false for an event loop that has left raw mode since the input.
	Waiting bool
	// Asleep reports whether none of the processes runs, is ready to run or waits for a disk.
	Asleep bool
	// HasReader reports whether one of the processes waits to read this terminal. Others may
	// still be running.
	HasReader bool
	// Filters reports whether the process that waits to read this terminal also reads a pipe from
	// another process of the group, as less does. It may draw until that other process ends.
	Filters bool
	// Nested reports whether the processes are on a terminal that a program on this terminal
	// displays, such as tmux or script.
	Nested bool
	// Final reports whether the processes have read the input, and only more input, a signal or a
	// process outside of the group can make them continue. Then no second look is needed.
	Final bool
	// InputUnread reports whether the processes may not have read the input yet. Either they have not
	// run since the input was written; or they were not waiting then, have written nothing since,
	// and the input is not known to have reached them.
	InputUnread bool
	// OnlyTerminal reports whether the waiting process waits only for this terminal, and nothing but a
	// timer or the group itself wakes the other threads of the group.
	OnlyTerminal bool
	// EventLoop reports whether the waiting process waits in an event loop: besides input, only
	// timers, signals and the group itself wake its threads.
	EventLoop bool
	// AnswerDue is when the next timer fires that may belong to the input, or zero if there is
	// none.
	AnswerDue time.Time
	// OtherDue is when the next timer fires that does not belong to the input, or zero if
	// there is none in the near future. This timer hides later ones that may belong to the input,
	// because an event loop waits only for its first timer.
	OtherDue time.Time
	// SeenAtPrompt reports whether the program has waited in the same way at a confirmed prompt.
	// This alone does not prove a prompt: a program may read keys in the same way while it
	// waits for a timer, as node does in an await. The text of the prompt decides.
	SeenAtPrompt bool
	// AtIdlePlace reports whether a full-screen program waits at a place in its code where it has
	// been idle before.
	AtIdlePlace bool
	// AtOtherPlace reports whether such places are known and the program is not at one of them.
	AtOtherPlace bool
	// WakesAfter is the shortest time limit of the waits of all threads, from the beginning of the
	// wait, or 0 if there is none. Limits below 25 ms do not count.
	WakesAfter time.Duration
	// Timed reports whether the wait of the waiting process has a time limit.
	Timed bool
	// TimeLimit is the time limit from the beginning of that wait, or 0 if it is not known.
	TimeLimit time.Duration
	// Renewed reports whether the processes have run and wait again since they were first seen to
	// wait after the last output and input.
	Renewed bool
	// Secret reports whether the program waits in a terminal inside this one (script, expect) whose
	// modes are those for entering a password. In a full-screen program, the text must ask for it.
	Secret bool
	// OthersWake reports whether a timer, a socket or something unknown may wake a thread other
	// than the waiting one.
	OthersWake bool
	// HasPrompted reports whether the foreground program has shown a prompt before.
	HasPrompted bool
	// MainInForeground reports whether the session's own program is in the foreground.
	MainInForeground bool
	// MainIsFish reports whether the session's own program is in the foreground and is fish, which
	// waits in the same way at its prompt and while its built-in read asks for input.
	MainIsFish bool
	// MainReads reports whether the session's own program waits to read this terminal while
	// other processes of its group are busy.
	MainReads bool
	// HasRead reports whether an earlier look showed the foreground program waiting for input.
	HasRead bool
	// Since is when the first of the successive looks was taken that equal the last one.
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
	// with a learned prompt, and the program may be at a prompt by the way in which it waits.
	Continuation bool
	// TextUnchanged reports whether the text, apart from numbers and paths, is the same as when the
	// input was typed, and is not a question. Such a text is probably a prompt of an unknown form.
	TextUnchanged bool
	// SameForeground reports whether Prompt is true, and the foreground process group and the
	// terminal's modes are those of the session's last prompt.
	SameForeground bool
	// PromptExpected reports whether a program that has shown a prompt before still exists. It
	// will show a prompt when it has finished its work.
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
