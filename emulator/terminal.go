package emulator

// Options configure a Terminal. The zero value gives the defaults.
type Options struct {
	Size            Size // default 24 rows, 80 columns
	ScrollbackLines int  // rows kept above the main screen, and lines, default 10,000
	ScrollbackBytes int  // bytes those rows may take, default 8 MiB
	Light           bool // programs are told that text is dark on a light ground; default light on dark
	Clusters        bool // grapheme clusters take one or two columns, as if every program set mode 2027
}

// The defaults of Options.
const (
	defaultRows  = 24
	defaultCols  = 80
	defaultLines = 10000
	defaultBytes = 8 << 20
)

func (o Options) withDefaults() Options {
	if o.Size.Rows == 0 {
		o.Size.Rows = defaultRows
	}
	if o.Size.Cols == 0 {
		o.Size.Cols = defaultCols
	}
	o.Size = o.Size.clamp()
	if o.ScrollbackLines <= 0 {
		o.ScrollbackLines = defaultLines
	}
	if o.ScrollbackBytes <= 0 {
		o.ScrollbackBytes = defaultBytes
	}
	return o
}

// clamp brings a size into what a grid can have.
func (s Size) clamp() Size {
	return Size{Rows: min(max(s.Rows, 1), MaxRows), Cols: min(max(s.Cols, 1), MaxCols)}
}

// A Terminal is an xterm-like terminal without a window. It is not safe for
// concurrent use.
type Terminal struct {
	opt      Options
	size     Size
	dec      decoder
	parser   parser
	consumed int64 // bytes taken up to the character now being handled

	styles   *styles
	images   *images // nil until a program sends one
	clusters *clusters
	main     *screen
	alt      *screen // nil until a program asks for it
	scr      *screen // main or alt
	history  scrollback

	cursor
	saved      [2]savedCursor // DECSC of the main and alternate screens
	margins    margins
	tabs       tabStops
	modes      modes
	savedModes map[int]bool // XTSAVE
	sgrStack   []pushedSGR  // XTPUSHSGR
	last       rune         // what came just before, if it was a character: for REP; else 0
	cluster    cluster      // what mode 2027 may extend

	shape      CursorShape
	blink      bool
	kitty      [2]kittyFlags // of the main and alternate screens
	modOther   int
	extent     int   // DECSACE: 2 for rectangles, else streams
	level      uint8 // conformance, DECSCL: 1 to maxLevel
	protection protection

	titles              titles
	palette             palette
	palettes            paletteStack
	replies             []byte
	events              []Event
	eventText           int   // bytes of text in events
	base                int64 // number of the line that the main screen's first row is part of
	lineIDs             uint64
	packer              packer
	repaint             repaint
	rev                 uint64
	placeRev            []uint64 // by screen row: the last revision that moved rows there
	changed             bool     // something to be seen changed in the current call
	stirred             bool     // rows moved in the current call, within stirTop to stirBottom
	stirTop, stirBottom int
	tally               tally
	gcHold              int // see collectGarbage
}

// A cursor is the active position and what goes with it in DECSC.
type cursor struct {
	row, col int
	wrap     bool // pending wrap: the next character wraps first, with DECAWM
	pen      Style
	charset  charset
}

// New returns a Terminal that has just been switched on. Sizes out of range are
// clamped.
func New(o Options) *Terminal {
	o = o.withDefaults()
	t := &Terminal{opt: o, size: o.Size, styles: newStyles(), clusters: newClusters()}
	t.main = newScreen(o.Size)
	t.scr = t.main
	t.placeRev = make([]uint64, o.Size.Rows)
	t.history = newScrollback(o.Size.Cols, o.ScrollbackLines, o.ScrollbackBytes)
	t.rename(0, o.Size.Rows-1)
	t.EndRepaint()
	t.powerOn()
	return t
}

// powerOn sets what RIS sets, and leaves the screens' contents alone.
func (t *Terminal) powerOn() {
	t.cursor = cursor{}
	t.saved = [2]savedCursor{}
	t.margins = fullMargins(t.size)
	t.tabs = defaultTabs()
	t.modes = defaultModes()
	t.modes.set(modeGraphemes, t.opt.Clusters)
	t.savedModes = nil
	t.sgrStack = nil
	t.last = 0
	t.cluster = cluster{}
	t.shape, t.blink = CursorBlock, false
	t.kitty = [2]kittyFlags{}
	t.modOther = 0
	t.extent = 0
	t.level = maxLevel
	t.protection = unprotected
	t.titles.stack = nil
	t.palette = nil
}

// Size returns the grid's size.
func (t *Terminal) Size() Size { return t.size }

// Revision grows with every Write or Resize that changed something to be seen.
func (t *Terminal) Revision() uint64 { return t.rev }

// Title returns the window title (OSC 0, 2).
func (t *Terminal) Title() string { return t.titles.window }

// Cursor returns the cursor.
func (t *Terminal) Cursor() Cursor {
	return Cursor{
		Point:       Point{Row: t.row, Col: t.col},
		Visible:     t.modes.has(modeCursorVisible),
		Shape:       t.shape,
		Blink:       t.blink,
		PendingWrap: t.wrap && t.modes.has(modeAutoWrap),
	}
}

// Partial reports whether the bytes so far end inside a control sequence or a
// character.
func (t *Terminal) Partial() bool { return t.parser.state != ground || t.dec.need > 0 }

// MaxReplies bounds the bytes of replies that queue until TakeReplies.
const MaxReplies = 64 << 10

// TakeReplies returns the answers to the program's queries (DA, DSR, DECRQM …)
// since the last call, for the caller to write to the program. At most
// MaxReplies bytes queue; what exceeds that is dropped whole.
func (t *Terminal) TakeReplies() []byte {
	r := t.replies
	t.replies = nil
	return r
}

// reply queues an answer.
func (t *Terminal) reply(s string) {
	if len(t.replies)+len(s) <= MaxReplies {
		t.replies = append(t.replies, s...)
	}
}

// MaxEvents bounds the events that queue until TakeEvents, and maxEventText
// the bytes of text that all of them hold.
const (
	MaxEvents    = 1024
	maxEventText = 2 << 20
)

// TakeEvents returns the events since the last call, oldest first.
func (t *Terminal) TakeEvents() []Event {
	e := t.events
	t.events, t.eventText = nil, 0
	return e
}

// event queues e; the oldest go when there are too many or they are too long.
func (t *Terminal) event(e Event) {
	t.events = append(t.events, e)
	t.eventText += e.size()
	drop := 0
	if len(t.events) > MaxEvents {
		drop = 1
		t.eventText -= t.events[0].size()
	}
	for ; t.eventText > maxEventText && drop < len(t.events)-1; drop++ {
		t.eventText -= t.events[drop].size()
	}
	t.events = t.events[drop:] // append moves the rest when it next grows
}

// size returns the bytes of text that e holds.
func (e Event) size() int {
	n := len(e.Text)
	for _, p := range e.Mark.Params {
		n += len(p)
	}
	return n
}

// A view is the visible state other than the cells. Views before and after a call show
// whether the call changed it.
type view struct {
	cursor Cursor
	title  string
	alt    bool
}

// look takes the view before a call.
func (t *Terminal) look() view {
	t.changed, t.stirred = false, false
	return view{t.Cursor(), t.titles.window, t.scr == t.alt}
}

// commit ends a call: the revision grows when something was changed.
func (t *Terminal) commit(before view) {
	if t.changed || before != (view{t.Cursor(), t.titles.window, t.scr == t.alt}) {
		t.rev++
	}
	if t.stirred {
		for r := t.stirTop; r <= min(t.stirBottom, t.size.Rows-1); r++ {
			t.placeRev[r] = t.rev
		}
	}
}

// touch records that row r of the present screen changes.
func (t *Terminal) touch(r int) *row {
	rw := t.scr.rows[r]
	if rw.rev != t.rev+1 || rw.shown != nil {
		rw.rev = t.rev + 1
		rw.shown = nil
	}
	t.changed = true
	return rw
}
