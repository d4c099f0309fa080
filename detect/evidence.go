package detect

import "time"

// Evidence is everything a verdict is made from, taken at one moment. "The
// input" is the last that anyone typed in the session, or its start when nobody
// has: a verdict is about what came after it.
type Evidence struct {
	Now time.Time

	// Exited says that the child was reaped and its terminal drained.
	Exited bool

	Input  Input
	Output Output

	// AtCursor is the text left of the cursor in its line, blanks included, cut
	// at the front to MaxPromptText bytes.
	AtCursor string
	// OnText says that the cursor stands on a character and not behind the text.
	OnText bool
	// Edited says that a line editor has taken over the terminal since the input: it
	// has switched on bracketed paste.
	Edited bool
	// Drawn says that the cursor is hidden: a program without a full screen draws its
	// menus and fields itself, and has no prompt at the cursor.
	Drawn bool
	// FullScreen says that the program owns the screen, Blank that it has drawn
	// nothing yet, on a screen of its own or since it has started.
	FullScreen, Blank bool

	TTY    TTY
	Marks  Marks
	Kernel Kernel
	Learned
	Pace Rhythm
}

// Input is what is known about the last input.
type Input struct {
	// Queued says that typed bytes have not all reached the terminal.
	Queued bool
	// At is when the input reached the terminal, or when the child started.
	At time.Time
	// Typed is false while nobody has typed anything.
	Typed bool
	// Submitted says that the input ended with Enter or a control character, so
	// that more than an echo is to be expected.
	Submitted bool
	// Escaped says that its last key is Escape, with which longer keys begin.
	Escaped bool
	// Moved says that the cursor is past the line where the input was typed.
	Moved bool
	// Prompted says that a learned prompt has come since, and more text behind it.
	Prompted bool
}

// Output is what is known about the child's output.
type Output struct {
	// Last is when the child last wrote; zero when it never has.
	Last time.Time
	// Since counts the bytes written since the input.
	Since int64
	// Unread says that bytes wait in the terminal that nobody has seen yet, or that
	// its reader is busy and may have some.
	Unread bool
	// Drawn is since when the screen shows what became of the input, as far as that can
	// be told from what else is drawn; zero when nothing was, and it may be to come.
	Drawn time.Time
	// Spins is, where the same few rows of the screen keep changing, when they will have
	// stopped unless they change again.
	Spins time.Time
	// Says is what the text says that is new on the screen since the input.
	Says Busy
	// Held says that the picture is half drawn: a control sequence or character
	// is incomplete, or a synchronized update (mode 2026) is open.
	Held bool
}

// TTY is what the kernel says about the terminal's modes.
type TTY struct {
	Known     bool
	Canonical bool
	Echo      bool
	// Since is when the modes were first seen as they are.
	Since time.Time
}

// secret reports whether the terminal is set as for typing a password.
func (t TTY) secret() bool { return t.Known && t.Canonical && !t.Echo }

// Marks is what trusted shell marks (OSC 133) say.
type Marks struct {
	// Prompt says that the shell has ended its prompt since the input (B), and,
	// when the input was submitted, that it has run it (C or D) before.
	Prompt bool
	// Left says that the cursor is not where the prompt ended, and that nothing was
	// typed there: something was written since.
	Left bool
	// Back says that the shell has ended its prompt since the input, which was
	// typed while a command ran: that may have taken it, or the shell still will.
	Back bool
	// Lines says that more lines were typed than prompts have come: the shell may
	// be about to take up the next, unless it took several for one command.
	Lines bool
	// Running says that the shell has begun a command and not ended it.
	Running bool
	// Starting says that the shell is about to show a prompt, its first one or
	// that after a command: what it runs before may be silent for long.
	Starting bool
}

// Kernel is the kernel's view of what the foreground processes wait for, as of
// a look that nothing has overtaken: no output and no input came since.
type Kernel struct {
	// Age is how long ago the look was taken: a process that was about to run then
	// may be in front by now.
	Age time.Duration
	// Looked is false when there is no such look yet. Where looks cannot be taken
	// it is true, and Known false.
	Looked bool
	// Known is false when the look could not tell.
	Known bool
	// Waiting says that one of them waits to read this terminal, none runs, and
	// the child has run since the input.
	Waiting bool
	// Asleep says that none of them runs or is about to.
	Asleep bool
	// Listens says that one of them waits to read this terminal, while others may
	// run.
	Listens bool
	// Fed says that it filters what another program writes, which still runs.
	Fed bool
	// Relayed says that it does so in a terminal of its own, inside one that a program
	// with this terminal shows.
	Relayed bool
	// Final says that only input can make them go on: no confirmation is needed.
	Final bool
	// Unproven says that the one that waits may do so since before the input: it
	// ran while that was written and has written nothing since. A worker of the
	// kernel hands input over, which on a busy machine takes its time.
	Unproven bool
	// Sure is false when the one that waits also waits for something else.
	Sure bool
	// Loop says that the one that waits does so in an event loop: besides input, only
	// timers and its own processes' doing wake it.
	Loop bool
	// Due is when the next timer goes off that may have to do with the input, zero when
	// there is none. Nothing comes before, unless something else wakes them.
	Due time.Time
	// Hides is when the next timer goes off that has nothing to do with the input, zero
	// when none is set, or only for much later: an event loop waits for its first timer,
	// which hides what else is to come.
	Hides time.Time
	// Seen says that it was seen to wait so at a confirmed prompt. That alone
	// does not tell a prompt from a program that waits for a timer of its own
	// and reads keys meanwhile, as node does in an await: the prompt's text does.
	Seen bool
	// Home says that a full-screen program waits in a place where it has been seen
	// to have nothing else to do, Away that it has such places and waits elsewhere.
	Home, Away bool
	// Wakes is when a timer of the program's, in the place where it waits, will end
	// the wait, from when it began; 0 when there is none.
	Wakes time.Duration
	// Timed says that the wait ends by itself after a time.
	Timed bool
	// Ends is that time, from when the wait began; 0 when it is not known.
	Ends time.Duration
	// Renewed says that it waits once more: since the last output and input such a
	// wait has ended, and the program has written nothing.
	Renewed bool
	// Secret says that the terminal inside this one, where the program that waits
	// runs, is set as for typing a password (script, expect).
	Secret bool
	// Others says that something else may wake another thread of theirs: a timer,
	// for one.
	Others bool
	// Prompts says that the program in front has shown a prompt before.
	Prompts bool
	// Own says that the program in front is the session's own, or has prompted
	// before: marks can be its.
	Own bool
	// Main says that the session's own program is in front.
	Main bool
	// Asked says that it is a shell which, while a command of its own runs, waits
	// for more than its terminal: as fish does at its prompt, and in read.
	Asked bool
	// Reader says that the session's own program waits for this terminal, while
	// others of its group are at work.
	Reader bool
	// Reads says that the program in front has been seen to wait for this
	// terminal before.
	Reads bool
	// Since is when the first of the looks was taken that have all shown the
	// same.
	Since time.Time
	// Text is the look in words.
	Text string
}

// Learned is what earlier prompts of the session say.
type Learned struct {
	// Prompt says that the text at the cursor ends in a learned prompt.
	Prompt bool
	// Whole says that nothing stands before the prompt in its line.
	Whole bool
	// Continues says that it looks like the prompt for a further line of what a
	// program with a learned prompt reads.
	Continues bool
	// Again says that the text at the cursor is that at which the input was typed,
	// and no question: a prompt of a shape that nobody knows.
	Again bool
	// Plain says that the text came without the control sequences with which that
	// prompt has always been drawn.
	Plain bool
	// SameFront says that the foreground process and the terminal's modes are
	// those that the prompt was learned with.
	SameFront bool
	// Expected says that a program which has prompted before still runs and
	// will prompt again when it is done.
	Expected bool
}

// Rhythm is what the gaps in the session's output say; see Pace.
type Rhythm struct {
	// Settle is how long a pause must be to be taken for the end.
	Settle time.Duration
	// Redraw is the same for a full-screen program's redraw after a key.
	Redraw time.Duration
	// Periodic says that the program repaints in a steady rhythm and has just
	// finished a frame.
	Periodic bool
}
