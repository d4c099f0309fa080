package detect

import "time"

// Evidence is everything that a verdict is based on, at one moment. "The input" is the last
// input of the session, or the start of the session if there was none: a verdict is about
// the time after it.
type Evidence struct {
	Now time.Time

	// Exited says that the child was reaped and its terminal drained.
	Exited bool

	Input  Input
	Output Output

	// AtCursor is the text left of the cursor in its line with its blanks, cut at the front
	// to MaxPromptText bytes.
	AtCursor string
	// OnText says that the cursor is on a character, not behind the text.
	OnText bool
	// Edited says that a line editor has begun to read since the input: it has switched on
	// bracketed paste.
	Edited bool
	// Drawn says that the cursor is hidden: a program without a full screen draws its
	// menus and fields itself, and has no prompt at the cursor.
	Drawn bool
	// FullScreen says that the program uses the whole screen, Blank that it has drawn
	// nothing yet: on the alternate screen, or since it started.
	FullScreen, Blank bool

	TTY    TTY
	Marks  Marks
	Kernel Kernel
	Learned
	Pace Rhythm
}

// Input describes the last input.
type Input struct {
	// Queued says that typed bytes have not all reached the terminal.
	Queued bool
	// At is when the input reached the terminal, or when the child started.
	At time.Time
	// Typed is false while nobody has typed anything.
	Typed bool
	// Submitted says that the input ended with Enter or a control character, so that more
	// than an echo is expected.
	Submitted bool
	// Escaped says that its last key is Escape, with which the sequences of other keys begin.
	Escaped bool
	// Moved says that the cursor is past the line where the input was typed.
	Moved bool
	// Prompted says that a learned prompt has come since, followed by more text.
	Prompted bool
}

// Output describes the child's output.
type Output struct {
	// Last is when the child last wrote; zero when it never has.
	Last time.Time
	// Since counts the bytes written since the input.
	Since int64
	// Unread says that output waits in the terminal, or that a read is under way that may
	// return some.
	Unread bool
	// Drawn is since when the screen shows the result of the input, as far as other changes
	// of the screen can be distinguished from it; zero when there is no result yet.
	Drawn time.Time
	// Spins is set when the same few rows of the screen keep changing: it is when they will
	// count as stopped unless they change again.
	Spins time.Time
	// Says is what the new text on the screen since the input says.
	Says Busy
	// Held says that the screen is drawn only in part: a control sequence or character is
	// incomplete, or a synchronized update (mode 2026) has begun.
	Held bool
}

// TTY describes the terminal's modes.
type TTY struct {
	Known     bool
	Canonical bool
	Echo      bool
	// Since is when the present modes were first seen.
	Since time.Time
}

// secret reports whether the modes are those for typing a password.
func (t TTY) secret() bool { return t.Known && t.Canonical && !t.Echo }

// Marks describes trusted shell marks (OSC 133).
type Marks struct {
	// Prompt says that the shell has ended its prompt since the input (B), and,
	// when the input was submitted, that it has run it (C or D) before.
	Prompt bool
	// Left says that the cursor is not where the prompt ended although nothing was typed
	// there: the program has written something since.
	Left bool
	// Back says that the shell has ended its prompt since the input, which was typed while a
	// command ran: the command may have read the input, or the shell will read it.
	Back bool
	// Lines says that more lines were typed than prompts have come: the shell may be about
	// to read the next line, unless several lines were one command.
	Lines bool
	// Running says that the shell has begun a command and not ended it.
	Running bool
	// Starting says that the shell is about to show a prompt, its first one or that after a
	// command. Programs that it runs before the prompt may be silent for long.
	Starting bool
}

// Kernel describes what the foreground processes wait for, according to the last look at
// the kernel. Neither output nor input came after that look.
type Kernel struct {
	// Age is how long ago the look was taken. A process that was about to run then may be
	// in the foreground by now.
	Age time.Duration
	// Looked is false when there is no such look yet. Where looks cannot be taken
	// it is true, and Known false.
	Looked bool
	// Known is false when the look could not tell.
	Known bool
	// Waiting says that one of them waits to read this terminal, none runs, and the child
	// has run since the input.
	Waiting bool
	// Asleep says that none of them runs or is about to.
	Asleep bool
	// Listens says that one of them waits to read this terminal; others may run.
	Listens bool
	// Fed says that the one that Listens filters the output of another program, which still
	// runs.
	Fed bool
	// Relayed says that it waits in another terminal, which a program in this terminal
	// shows.
	Relayed bool
	// Final says that only input can make them continue: no second look is needed.
	Final bool
	// Unproven says that the one that waits may have done so since before the input: it ran
	// while the input was written, and has written nothing since. The kernel may take long
	// to pass input on when the machine is busy.
	Unproven bool
	// Sure is false when the one that waits also waits for something else.
	Sure bool
	// Loop says that the one that waits does so in an event loop: besides input, only timers
	// and its own processes wake it.
	Loop bool
	// Due is when the next timer fires that may belong to the input, zero when there is
	// none. Unless something else wakes the processes, nothing happens before.
	Due time.Time
	// Hides is when the next timer fires that does not belong to the input, zero when none
	// is set, or only one for much later. It hides later timers, since an event loop waits
	// for its first timer only.
	Hides time.Time
	// Seen says that the program has waited in the same way at a confirmed prompt. That
	// alone does not prove a prompt: a program may wait for a timer in the same way and
	// read keys meanwhile, as node does in an await. The prompt's text decides.
	Seen bool
	// Home says that a full-screen program waits in a place where it has been idle before,
	// Away that it has such places and waits in another one.
	Home, Away bool
	// Wakes is how long the program waits in its place until a timer of its own ends the
	// wait; 0 when there is none.
	Wakes time.Duration
	// Timed says that the wait ends by itself after a time.
	Timed bool
	// Ends is that time, from the beginning of the wait; 0 when it is not known.
	Ends time.Duration
	// Renewed says that such a wait has ended since the last output and input, and that the
	// program has written nothing and waits again.
	Renewed bool
	// Secret says that the program waits in a terminal inside this one (script, expect),
	// whose modes are those for typing a password.
	Secret bool
	// Others says that something else, such as a timer, may wake another of their threads.
	Others bool
	// Prompts says that the foreground program has shown a prompt before.
	Prompts bool
	// Own says that the foreground program is the session's own, or has prompted before: it
	// may have sent the marks.
	Own bool
	// Main says that the session's own program is in the foreground.
	Main bool
	// Asked says that the session's program is a shell that waits for more than its terminal
	// both at its prompt and when a command of its own asks for input, as fish does.
	Asked bool
	// Reader says that the session's own program waits for this terminal, while
	// others of its group are at work.
	Reader bool
	// Reads says that the foreground program has waited for this terminal before.
	Reads bool
	// Since is when the first of the latest equal looks was taken.
	Since time.Time
	// Text is the look in words.
	Text string
}

// Learned compares the text at the cursor with earlier prompts of the session.
type Learned struct {
	// Prompt says that the text at the cursor ends in a learned prompt.
	Prompt bool
	// Whole says that nothing stands before the prompt in its line.
	Whole bool
	// Continues says that the text looks like a continuation prompt of a program with a
	// learned prompt.
	Continues bool
	// Again says that the text is the same as when the input was typed, and not a question:
	// it is a prompt of an unknown shape.
	Again bool
	// Plain says that the text came without control sequences although that prompt was
	// always drawn with them.
	Plain bool
	// SameFront says that the foreground process and the terminal's modes are the same as
	// when the prompt was learned.
	SameFront bool
	// Expected says that a program that has prompted before still runs and will prompt again
	// when it has finished its work.
	Expected bool
}

// Rhythm is derived from the gaps in the session's output; see Pace.
type Rhythm struct {
	// Settle is how long a pause must be to count as the end of an answer.
	Settle time.Duration
	// Redraw is the same for a full-screen program's redraw after a key.
	Redraw time.Duration
	// Periodic says that the program repaints at regular intervals and has just finished a
	// frame.
	Periodic bool
}
