package emulator

import (
	"cmp"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// Options configure a Terminal. The zero value means the defaults.
type Options struct {
	Size            Size // default 24 rows, 80 columns
	ScrollbackLines int  // maximum number of rows, and of lines, above the main screen; default 10,000
	ScrollbackBytes int  // maximum memory for the scrollback in bytes; default 8 MiB
	Light           bool // the default colours, as reported to programs, are dark on light instead of light on dark
	Clusters        bool // mode 2027 (grapheme clusters) is set by default
}

// Defaults of Options.
const (
	defaultRows  = 24
	defaultCols  = 80
	defaultLines = 10000
	defaultBytes = 8 << 20
)

func (o Options) withDefaults() Options {
	o.Size = Size{cmp.Or(o.Size.Rows, defaultRows), cmp.Or(o.Size.Cols, defaultCols)}.clamp()
	o.ScrollbackLines = cmp.Or(max(o.ScrollbackLines, 0), defaultLines)
	o.ScrollbackBytes = cmp.Or(max(o.ScrollbackBytes, 0), defaultBytes)
	return o
}

// clamp returns the size nearest to s that a grid can have.
func (s Size) clamp() Size {
	return Size{Rows: min(max(s.Rows, 1), MaxRows), Cols: min(max(s.Cols, 1), MaxCols)}
}

// A Terminal is an xterm-like terminal without a window. It is not safe for
// concurrent use.
type Terminal struct {
	opt      Options
	size     Size
	partial  []byte // the bytes of an incomplete character
	parser   parser
	consumed int64 // number of bytes written, including the character that step processes

	styles   *styles
	images   images
	clusters *clusters
	main     *screen
	alt      *screen // nil until it is first used
	scr      *screen // main or alt
	history  scrollback

	powerOnState
	title     string // of the window
	palettes  paletteStack
	replies   []byte
	events    []Event
	eventText int // sum of size of all events
	repaint   repaint
	rev       uint64                    // see Revision
	movedRevs []uint64                  // by row: the last revision that moved another row there
	changed   bool                      // the current Write or Resize has changed something visible
	moved     struct{ top, bottom int } // the rows that the current Write or Resize has moved; none if bottom is less than top
	gcSkips   int                       // collections to skip, see maxGCSkips
}

// powerOnState is the part of the state that power-on and RIS set to its defaults.
type powerOnState struct {
	cursor
	saved       [2]savedCursor // DECSC of the main and alternate screens
	margins     rect
	tabs        tabStops
	modes       modes
	savedModes  map[int]bool // XTSAVE
	sgrStack    []pushedSGR  // XTPUSHSGR
	titleStack  []string     // XTWINOPS 22
	last        rune         // for REP: the last printed character, as received; 0 after a control or sequence
	cluster     string       // the cluster before the cursor that mode 2027 may extend, or ""
	shape       CursorShape
	blink       bool
	kitty       [2]kittyFlags // of the main and alternate screens
	modifyOther int           // XTMODKEYS 4: level of modifyOtherKeys, 0 to 2
	extent      int           // DECSACE: 2 for rectangles, otherwise streams
	level       uint8         // conformance level (DECSCL), 1 to maxLevel
	protection  protection
	palette     palette
}

// A cursor is the part of the state that DECSC saves, except for origin mode.
type cursor struct {
	row, col int
	wrap     bool  // pending wrap: with DECAWM, the next character is printed in the next row
	pen      Style // of printed text; its background is that of erased cells
	charset  charset
}

// New returns a Terminal in its state after power-on. Sizes out of range are clamped.
func New(o Options) *Terminal {
	o = o.withDefaults()
	t := &Terminal{opt: o, size: o.Size, styles: newStyles(), clusters: &clusters{newInterner[string](maxClusters)}}
	t.palettes.slots, t.images.Store = map[int]palette{}, graphics.NewStore()
	t.main = newScreen(o.Size)
	t.scr = t.main
	t.movedRevs = make([]uint64, o.Size.Rows)
	t.history = scrollback{cols: o.Size.Cols, maxLines: o.ScrollbackLines, maxBytes: o.ScrollbackBytes}
	t.assignIDs(0, o.Size.Rows-1)
	t.repaint.end()
	t.powerOn()
	return t
}

// powerOn sets powerOnState to its defaults, for power-on and RIS.
func (t *Terminal) powerOn() {
	t.powerOnState = powerOnState{
		margins: fullMargins(t.size), tabs: defaultTabs(), modes: defaultModes(), savedModes: map[int]bool{},
		level: maxLevel, palette: palette{},
	}
	t.modes.set(modeGraphemes, t.opt.Clusters)
}

// Size returns the size of the grid.
func (t *Terminal) Size() Size { return t.size }

// Revision returns a number that increases with each Write or Resize that changes something
// visible, including the cursor and the title.
func (t *Terminal) Revision() uint64 { return t.rev }

// Title returns the window title (OSC 0, 2).
func (t *Terminal) Title() string { return t.title }

// Cursor returns the position and appearance of the cursor.
func (t *Terminal) Cursor() Cursor {
	return Cursor{
		Point:       Point{Row: t.row, Col: t.col},
		Visible:     t.modes.has(modeCursorVisible),
		Shape:       t.shape,
		Blink:       t.blink,
		PendingWrap: t.wrap && t.modes.has(modeAutoWrap),
	}
}

// InsideSequence reports whether the bytes written until now end inside an escape or control
// sequence, a control string or a character.
func (t *Terminal) InsideSequence() bool { return t.parser.state != ground || len(t.partial) > 0 }

// MaxReplies is the maximum size in bytes of the replies that queue until TakeReplies.
const MaxReplies = 64 << 10

// TakeReplies returns the replies to the program's requests (DA, DSR, DECRQM …) since the last
// call. The caller must write them to the program. If a reply would make the queue longer than
// MaxReplies, the whole reply is dropped.
func (t *Terminal) TakeReplies() []byte {
	r := t.replies
	t.replies = nil
	return r
}

// reply queues a reply.
func (t *Terminal) reply(s string) {
	if len(t.replies)+len(s) <= MaxReplies {
		t.replies = append(t.replies, s...)
	}
}

// replyOSC queues the reply to an operating system command. The reply ends as the command did:
// with BEL if bell is set, otherwise with ST.
func (t *Terminal) replyOSC(s string, bell bool) {
	end := "\x1b\\"
	if bell {
		end = "\a"
	}
	t.reply("\x1b]" + s + end)
}

// MaxEvents is the maximum number of events that queue until TakeEvents, and maxEventText
// the maximum total length of their texts in bytes.
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

// queueEvent queues e. If a limit is exceeded, it drops the oldest events, but never e itself.
func (t *Terminal) queueEvent(e Event) {
	t.events = append(t.events, e)
	t.eventText += e.size()
	drop := 0
	for ; len(t.events)-drop > MaxEvents || t.eventText > maxEventText && drop < len(t.events)-1; drop++ {
		t.eventText -= t.events[drop].size()
	}
	t.events = t.events[drop:] // the memory is freed when append next grows the slice
}

// size returns the length of e's texts in bytes.
func (e Event) size() int {
	n := len(e.Text)
	for _, p := range e.Mark.Params {
		n += len(p)
	}
	return n
}

// beginUpdate is called at the start of Write and Resize. It returns the cursor, for commit.
func (t *Terminal) beginUpdate() Cursor {
	t.changed, t.moved.top, t.moved.bottom = false, MaxRows, -1
	return t.Cursor()
}

// commit is called at the end of Write and Resize. It increases the revision if something
// visible has changed, and records the revision of the rows that have moved. before is the
// result of beginUpdate.
func (t *Terminal) commit(before Cursor) {
	if t.changed || t.Cursor() != before {
		t.rev++
	}
	for r := t.moved.top; r <= min(t.moved.bottom, t.size.Rows-1); r++ {
		t.movedRevs[r] = t.rev
	}
}

// touch records that the current Write or Resize changes row r of the current screen, and returns the row.
func (t *Terminal) touch(r int) *row {
	rw := t.scr.rows[r]
	if rw.rev != t.rev+1 || rw.shown != nil {
		rw.rev = t.rev + 1
		rw.shown = nil
	}
	t.changed = true
	return rw
}
