package detect

import "time"

// Evidence is everything that a verdict is based on, at one moment. In the comments of this
// file, "the input" is the last input of the session or, if there was none, the start of the
// session. The verdict is about the time since the input.
type Evidence struct {
	Now time.Time

	// Exited reports whether the child has exited and all of its output has been read.
	Exited bool

	Input  Input
	Output Output

	// AtCursor is the text left of the cursor in the cursor's line, including blanks.
	AtCursor string
	// OnText reports whether the cursor is on a character that is not a blank.
	OnText bool
	// EditorReads reports whether a line editor has switched bracketed paste on since the input,
	// and still reads. EditorReads is false if a shell mark shows the end of the editor's prompt.
	EditorReads bool
	// CursorHidden reports whether a program that is not full-screen hides the cursor. Such a
	// program draws its menus and fields itself and has no prompt at the cursor.
	CursorHidden bool
	// FullScreen reports whether the program uses the whole screen, as an editor does.
	FullScreen bool
	// Blank reports whether a full-screen program, or one on a terminal without input, shows an empty screen.
	Blank bool

	TTY    TTY    // the modes of the session's terminal
	Marks  Marks  // what the shell has marked
	Kernel Kernel // what the foreground processes wait for
	Learned
	Pace Rhythm // the usual pauses in the output
}

// Input describes the last input.
type Input struct {
	// Queued reports whether part of the input has not been written to the terminal yet.
	Queued bool
	// At is when the last part of the input was written or, if there was no input, when the child started.
	At time.Time
	// Typed reports whether there was any input since the child started.
	Typed bool
	// Submitted reports whether the input ended with Enter or a control character. The program will
	// then write more than an echo.
	Submitted bool
	// EndsInEscape reports whether the input ended with Escape. The program may wait for more bytes
	// after Escape, because the sequences of other keys begin with the same byte.
	EndsInEscape bool
	// InLine reports whether the input had no Enter and was not a secret. The cursor stays in the
	// line that is being edited.
	InLine bool
	// Moved reports whether the cursor is below the line where the input was typed. If that line is
	// not known, Moved is true. On a pipe, and for a program that draws its rows itself without
	// being full-screen, Moved reports whether there was output since the input.
	Moved bool
	// Prompted reports whether a line below the input begins with a learned prompt and has more
	// text. Prompted is set only if no text is left of the cursor and the foreground program, which
	// has shown a prompt before, waits for more than its terminal or with a time limit.
	Prompted bool
}

// Output describes the child's output.
type Output struct {
	// Last is the time when the child last wrote, or zero if it never has.
	Last time.Time
	// AnswerBytes is the number of bytes written since the input. If only a line end was written, it is 0.
	AnswerBytes int64
	// Unread reports whether the terminal holds output that was not read yet, or a read is in
	// progress that may return some.
	Unread bool
	// ResultAt is when the screen first showed the result of the input, or zero if no text on the
	// screen has changed. If a character was typed and is not yet left of the cursor, ResultAt is
	// some time after the first change, possibly in the future.
	ResultAt time.Time
	// SpinsUntil is zero unless the same one or two rows of the screen keep changing, as a spinner
	// does. It is the time at which these rows count as stopped if they do not change again.
	SpinsUntil time.Time
	// Busy is the highest SaysBusy among the rows that have changed since the input.
	Busy Busy
	// Incomplete reports whether the screen is only partly drawn: a control sequence or
	// character is incomplete, or a synchronized update (mode 2026) is in progress.
	Incomplete bool
}

// TTY describes the modes of the terminal (termios).
type TTY struct {
	Known     bool // the modes could be read; false for a pipe
	Canonical bool // ICANON: the kernel edits lines, and programs read whole lines
	Echo      bool // ECHO: the kernel echoes what is typed
	// Since is when the present foreground process group was first seen with the present modes.
	Since time.Time
}

// secret reports whether the modes are those in which programs read a password.
func (t TTY) secret() bool { return t.Known && t.Canonical && !t.Echo }

// Marks describes the shell marks (OSC 133) that can be trusted.
type Marks struct {
	// Prompt reports whether the shell has handled the input (mark C or D) and then marked the end
	// of its prompt (mark B). If there was no input, B is enough.
	Prompt bool
	// CursorMoved reports whether something was written after the prompt: the cursor is not at the
	// end of the prompt although nothing was typed there.
	CursorMoved bool
	// PromptMarked reports whether the shell has marked the end of its prompt since the input. If
	// PromptMarked is true and Prompt is false, the input was typed while a command ran: either the
	// command has read the input, or the shell will.
	PromptMarked bool
	// LinesPending reports whether more lines were typed than prompts were shown. Either the shell
	// is about to read the next line, or several lines were one command.
	LinesPending bool
	// Running reports whether the shell has begun a command that has not ended.
	Running bool
	// Starting reports whether the shell is about to show its first prompt, or the prompt after a
	// command. Before that, the shell may run programs that print nothing for a long time.
	Starting bool
}

// Kernel describes what the processes of the foreground group wait for. Its values come from the
// last look: one sample of what the operating system shows (package session/kernel).
type Kernel struct {
	// At is when the look was taken.
	At time.Time
	// Current is false if there was output or input after the look, or the look failed and may soon
	// succeed. If the kernel cannot be asked, Current is true and Known is false.
	Current bool
	// Known reports whether the look has succeeded. If Known is false, all other fields except
	// Current are zero.
	Known bool
	// Waiting reports whether one of the processes ("the waiting process" below) waits to read this
	// terminal, and none runs. Since the input, they must have run, or the terminal itself must
	// have handled the input. Waiting is false if an event loop has left raw mode since the input.
	Waiting bool
	// Asleep reports whether none of the processes runs, is ready to run or waits for a disk.
	Asleep bool
	// HasReader reports whether one of the processes waits to read this terminal. Others may
	// still be running.
	HasReader bool
	// Filters reports whether the process that waits to read this terminal also reads a pipe from another
	// process of the group, as less does. Until that other process ends, the reader may draw.
	Filters bool
	// Nested reports whether the processes are on a terminal inside this one: a program on this
	// terminal, such as tmux or script, displays it.
	Nested bool
	// Final reports whether the processes have read the input, and only more input, a signal or a
	// process outside of the group can make them continue. One such look is enough for a verdict.
	Final bool
	// InputUnread reports whether the processes may not have read the input yet. Either they have
	// not run since the input was written. Or they were not waiting when it was written, have
	// printed nothing since, and the input is not known to have reached them.
	InputUnread bool
	// OnlyTerminal reports whether the waiting process waits for this terminal alone, and the other
	// threads of the group can be woken only by a timer or by the group itself.
	OnlyTerminal bool
	// EventLoop reports whether the waiting process waits in an event loop, and only input, timers,
	// signals and the group itself can wake its threads.
	EventLoop bool
	// AnswerDue is when the next timer fires that may lead to an answer to the input, or zero if
	// there is none.
	AnswerDue time.Time
	// OtherDue is when the next timer fires that will not lead to an answer, or zero if none will
	// fire soon. An event loop waits only for its first timer, so behind this one there may be
	// later timers that do lead to an answer.
	OtherDue time.Time
	// SeenAtPrompt reports whether the program waits as it has waited at a confirmed prompt. This
	// does not prove a prompt, because a program may read keys in the same way while it waits for a
	// timer, as node does in an await. The text at the cursor decides.
	SeenAtPrompt bool
	// AtIdlePlace reports whether a full-screen program waits at a place in its code where it has
	// been idle after earlier keys.
	AtIdlePlace bool
	// AtOtherPlace reports whether such idle places are known and the program is at none of them.
	AtOtherPlace bool
	// WakesAfter is the shortest time limit of all threads' waits, measured from the beginning of
	// the wait. It is 0 if no wait has a limit of at least 25 ms.
	WakesAfter time.Duration
	// Timed reports whether the wait of the waiting process has a time limit.
	Timed bool
	// TimeLimit is that time limit, measured from the beginning of the wait, or 0 if it is not known.
	TimeLimit time.Duration
	// Renewed reports whether the processes have ended their wait and begun another, since they
	// were first seen to wait after the last output and input.
	Renewed bool
	// Secret reports whether the program waits in a terminal inside this one (script, expect) with the modes of a
	// password prompt. If a full-screen program is shown, the text at the cursor must also ask for a password.
	Secret bool
	// OthersWake reports whether a timer, a socket or something unknown may wake a thread other
	// than the one that waits for the terminal.
	OthersWake bool
	// HasPrompted reports whether the foreground program has shown a prompt before.
	HasPrompted bool
	// MainInForeground reports whether the session's own program is in the foreground.
	MainInForeground bool
	// MainIsFish reports whether the session's own program is fish and in the foreground. Fish
	// waits in the same way at its prompt and while its read command asks for input.
	MainIsFish bool
	// LeaderReads reports whether the leader of the foreground group waits to read this terminal
	// while other processes of the group are busy.
	LeaderReads bool
	// HasRead reports whether an earlier look showed the foreground program waiting for input.
	HasRead bool
	// Since is when a look first showed the present state. All looks since then were equal.
	Since time.Time
	// Text describes the look in words, for the tools' explain argument.
	Text string
}

// Learned compares the text at the cursor with earlier prompts of the session.
type Learned struct {
	// Prompt reports whether the text at the cursor ends in a learned prompt.
	Prompt bool
	// PromptWhole reports whether that prompt begins its line, or a line editor has drawn all of
	// it. If the prompt always had control sequences before, it must also have them now.
	PromptWhole bool
	// LineBegun reports whether a line is being edited after a learned prompt: the text begins with
	// that prompt, the input had no Enter, and the cursor has not left the line.
	LineBegun bool
	// Continuation reports whether the text looks like a continuation prompt of a program with a
	// learned prompt, and the program waits in a way in which it may wait at a prompt.
	Continuation bool
	// TextUnchanged reports whether the text, apart from numbers and paths, is the same as when the input
	// was typed, and is not a question. Such a text is probably a prompt, though it may not look like one.
	TextUnchanged bool
	// SameForeground reports whether Prompt is true, and the session's last prompt had the same
	// foreground process group and terminal modes.
	SameForeground bool
	// PromptExpected reports whether a program that has shown a prompt before still exists. It will
	// show another prompt when it has finished its work.
	PromptExpected bool
}

// A Rhythm describes the pauses in the session's output; see Pace.
type Rhythm struct {
	// Settle is the length of a pause that counts as the end of an answer.
	Settle time.Duration
	// Redraw is the length of a pause that counts as the end of a full-screen program's
	// redraw after a key.
	Redraw time.Duration
	// Periodic reports whether the program repaints at regular intervals and has just finished
	// repainting.
	Periodic bool
}
