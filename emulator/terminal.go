package emulator

// Options configure a Terminal. The zero value gives the defaults.
type Options struct {
	Size            Size // default 24 rows, 80 columns
	ScrollbackLines int  // rows kept above the main screen, default 10,000
	ScrollbackBytes int  // bytes those rows may take, default 8 MiB
	TranscriptLines int  // logical lines kept, default 10,000
	TranscriptBytes int  // bytes those lines may take, default 8 MiB
}

// A Terminal is an xterm-like terminal without a window. It is not safe for
// concurrent use.
type Terminal struct{}

// New returns a Terminal that has just been switched on. Sizes out of range are
// clamped.
func New(o Options) *Terminal { panic("not yet") }

// Write takes what the program wrote, cut anywhere. It returns len(p) and nil,
// always: any bytes are valid.
func (t *Terminal) Write(p []byte) (int, error) { panic("not yet") }

// Resize changes the grid's size as xterm does, with soft-wrapped lines of the
// main screen and its scrollback reflowed. Sizes out of range are clamped.
func (t *Terminal) Resize(s Size) { panic("not yet") }

// Size returns the grid's size.
func (t *Terminal) Size() Size { panic("not yet") }

// Revision grows with every Write or Resize that changed something to be seen.
func (t *Terminal) Revision() uint64 { panic("not yet") }

// TakeReplies returns the answers to the program's queries (DA, DSR, DECRQM …)
// since the last call, for the caller to write to the program. At most
// MaxReplies bytes queue; what exceeds that is dropped whole.
func (t *Terminal) TakeReplies() []byte { panic("not yet") }

// TakeEvents returns the events since the last call, oldest first.
func (t *Terminal) TakeEvents() []Event { panic("not yet") }

// Modes returns the modes now set.
func (t *Terminal) Modes() Modes { panic("not yet") }

// Cursor returns the cursor.
func (t *Terminal) Cursor() Cursor { panic("not yet") }

// Title returns the window title (OSC 0, 2).
func (t *Terminal) Title() string { panic("not yet") }

// Partial reports whether the bytes so far end inside a control sequence or a
// character.
func (t *Terminal) Partial() bool { panic("not yet") }

// FullScreen reports whether the program owns the screen: the alternate screen
// is on, or the program repaints the main screen in place, as procps top does.
// The latter is judged from what the program sends: a whole-screen erase while
// application cursor keys are set or the cursor is hidden, or repeated
// homing and overwriting without scrolling; it ends when those modes are reset.
func (t *Terminal) FullScreen() bool { panic("not yet") }

// EndRepaint ends the judgement that the program repaints the main screen in
// place; a caller who knows that the program has gone calls it.
func (t *Terminal) EndRepaint() { panic("not yet") }

// ScrollbackRows returns how many rows can be asked of Snapshot.
func (t *Terminal) ScrollbackRows() int { panic("not yet") }

// Snapshot returns a copy of the screen and of the last scrollback rows above
// it (0: none, -1: all).
func (t *Terminal) Snapshot(scrollback int) *Snapshot { panic("not yet") }
