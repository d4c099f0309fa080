package conform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/recording"
)

// An atom is a piece of a random stream that means something by itself.
type atom string

// A generator makes random atoms. What xterm 379 itself gets wrong, or what we
// chose otherwise (emulator/doc.go), is left out; the methods say what.
type generator struct {
	rng        *rand.Rand
	rows, cols int
	colours    int  // 0: none, 1: backgrounds, 2: all; see rectangle
	sided      bool // see sides
}

// newGenerator returns a generator for screens of a size.
func newGenerator(rng *rand.Rand, rows, cols int) *generator {
	return &generator{rng, rows, cols, rng.IntN(3), rng.IntN(2) == 0}
}

// stream returns n atoms.
func (g *generator) stream(n int) []atom {
	out := make([]atom, n)
	for i := range out {
		out[i] = g.atom()
	}
	return out
}

// atom returns one piece: half of them text, the others control sequences.
func (g *generator) atom() atom {
	makers := []func() string{
		g.text, g.text, g.text, g.control, g.move, g.move, g.erase, g.edit, g.scroll,
		g.sgr, g.sgr, g.margins, g.mode, g.save, g.charset, g.tabs, g.align,
		g.sides, g.rectangle, g.protect, g.columns,
	}
	return atom(makers[g.rng.IntN(len(makers))]())
}

// pick returns one of the words.
func (g *generator) pick(words ...string) string { return words[g.rng.IntN(len(words))] }

// n returns a parameter around 0 to limit: missing, 0, in range or beyond.
func (g *generator) n(limit int) string {
	switch g.rng.IntN(8) {
	case 0:
		return ""
	case 1:
		return "0"
	case 2:
		return fmt.Sprint(limit + g.rng.IntN(5))
	}
	return fmt.Sprint(1 + g.rng.IntN(limit))
}

// text puts a NUL before wide characters, so that they do not arrive in one run: without autowrap,
// xterm 379 lets those of a run that do not fit overwrite each other.
func (g *generator) text() string {
	switch g.rng.IntN(8) {
	case 0:
		return g.pick("\x00日", "\x00本\x00語", "\x00中\x00文\x00字", "\x00한\x00글", "\x00Ａ")
	case 1:
		return g.pick("e\u0301", "a\u0308\u0304", "n\u0303x")
	case 2:
		return g.pick(" ", "   ", "é", "ß", "─│┌", "█")
	}
	var b strings.Builder
	for range 1 + g.rng.IntN(g.cols) {
		b.WriteByte(byte('a' + g.rng.IntN(26)))
	}
	return b.String()
}

func (g *generator) control() string {
	return g.pick("\r", "\n", "\r\n", "\r\n", "\b", "\t", "\v", "\f", "\x1bD", "\x1bM", "\x1bE")
}

func (g *generator) move() string {
	if g.rng.IntN(2) == 0 {
		return fmt.Sprintf("\x1b[%s;%s%s", g.n(g.rows), g.n(g.cols), g.pick("H", "f"))
	}
	return "\x1b[" + g.n(g.cols) + g.pick("A", "B", "C", "D", "E", "F", "G", "`", "a", "d", "e")
}

func (g *generator) erase() string {
	return g.pick("\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b["+g.n(g.cols)+"X")
}

func (g *generator) edit() string {
	return "\x1b[" + g.n(g.cols) + g.pick("@", "P", "L", "M", "L", "M")
}

// scroll leaves out CSI 0 T, which xterm 379 ignores.
func (g *generator) scroll() string {
	return fmt.Sprintf("\x1b[%d%s", 1+g.rng.IntN(g.rows+2), g.pick("S", "T"))
}

// sgr leaves out known errors of xterm 379: direct colours that DECALN or DECCRA copy, and 4 together
// with 21.
func (g *generator) sgr() string {
	one := func() string {
		switch n := g.rng.IntN(25); {
		case n < 6 && g.colours > 0:
			return g.pick("42", "47", "49", "103", "48;5;17")
		case n < 12 && g.colours > 1:
			return g.pick("31", "37", "39", "91", "97", "38;5;200")
		}
		return g.pick("0", "1", "2", "3", "4", "5", "7", "9", "22", "23", "24", "25", "27", "29", "")
	}
	if g.rng.IntN(8) == 0 && g.colours > 1 { // xterm 379 misreads what follows colons
		return g.pick("\x1b[38:5:100m", "\x1b[48:5:17m")
	}
	words := []string{one()}
	for g.rng.IntN(2) == 0 {
		words = append(words, one())
	}
	return "\x1b[" + strings.Join(words, ";") + "m"
}

func (g *generator) margins() string {
	if g.rng.IntN(3) == 0 {
		return "\x1b[r"
	}
	return fmt.Sprintf("\x1b[%s;%sr", g.n(g.rows), g.n(g.rows))
}

func (g *generator) mode() string {
	insert := "4"
	if g.sided {
		insert = "?7"
	}
	return "\x1b[" + g.pick(insert, "?6", "?7", "?7", "20", "?25", "?47", "?1047") + g.pick("h", "l")
}

// save ends what restores with SGR 0: xterm 379 restores the colours with DECRC,
// and at the next SGR it goes back to those before.
func (g *generator) save() string {
	return g.pick("\x1b7", "\x1b[s", "\x1b[?1048h", "\x1b8\x1b[m", "\x1b8\x1b[m", "\x1b[u\x1b[m", "\x1b[?1048l\x1b[m",
		"\x1b[?1049h", "\x1b[?1049l\x1b[m")
}

func (g *generator) align() string { return "\x1b#8" }

func (g *generator) charset() string {
	return g.pick("\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "\x0f")
}

func (g *generator) tabs() string {
	return g.pick("\t", "\t\t", "\x1bH", "\x1b[g", "\x1b[3g", "\x1b["+g.n(4)+"I", "\x1b["+g.n(4)+"Z")
}

// sides sets DECLRMM and DECSLRM. It does not combine them with insert mode: xterm 379 loses a run of
// characters that begins left of the margin.
func (g *generator) sides() string {
	if !g.sided || g.rng.IntN(3) == 0 {
		return g.pick("\x1b[?69h", "\x1b[?69h", "\x1b[?69l")
	}
	return fmt.Sprintf("\x1b[?69h\x1b[%s;%ss", g.n(g.cols), g.n(g.cols))
}

// area returns the parameters of a rectangle, always with its top and left: in origin mode, xterm 379
// adds the margin to their defaults, which already include it.
func (g *generator) area() string {
	return fmt.Sprintf("%d;%d;%s;%s", 1+g.rng.IntN(g.rows+2), 1+g.rng.IntN(g.cols+2), g.n(g.rows), g.n(g.cols))
}

// rectangle fills and restyles only if there are no foreground colours, because xterm keeps those of
// erased cells and would show them. It copies only if there are no colours, because xterm 379 changes
// them.
func (g *generator) rectangle() string {
	switch n := g.rng.IntN(6); {
	case n == 0 || g.colours == 2:
		return "\x1b[" + g.area() + "${" // DECSERA
	case n == 1:
		return "\x1b[" + g.pick("35", "42", "88") + ";" + g.area() + "$x" // DECFRA
	case n == 2:
		return "\x1b[" + g.area() + "$z" // DECERA
	case n == 3 && g.colours == 0:
		return fmt.Sprintf("\x1b[%s;1;%s;%s;1$v", g.area(), g.n(g.rows), g.n(g.cols)) // DECCRA
	}
	kind := g.pick("\x1b[0*x", "\x1b[1*x", "\x1b[2*x") // DECSACE
	return kind + "\x1b[" + g.area() + ";" + g.pick("0", "1", "4", "5", "7", "1;7") + g.pick("$r", "$t")
}

func (g *generator) protect() string {
	return g.pick("\x1b[1\"q", "\x1b[0\"q", "\x1b[2\"q", "\x1b[?J", "\x1b[?1J", "\x1b[?2J", "\x1b[?K", "\x1b[?1K", "\x1b[?2K")
}

func (g *generator) columns() string {
	return "\x1b[" + g.n(g.cols) + g.pick("'}", "'~", " @", " A") // DECIC DECDC SL SR
}

// job returns a stream of the atoms, with one checkpoint at its end.
func (g *generator) job(atoms []atom) Job {
	j := Job{Rows: g.rows, Cols: g.cols}
	atoms = append([]atom{"\x1b[m\x1b[?47h\x1b7\x1b[?47l\x1b7"}, atoms...) // what nothing was saved for is not compared
	for _, a := range atoms {
		j.Events = append(j.Events, recording.Event{Kind: recording.Output, Data: []byte(a)})
	}
	j.Events = append(j.Events, recording.Event{Kind: recording.Checkpoint, Label: "end"})
	return j
}

// minimise drops items as long as differs stays true, first many at once.
func minimise[T any](items []T, differs func([]T) bool) []T {
	for size := (len(items) + 1) / 2; size > 0; {
		n := len(items)
		for i := 0; i+size <= len(items); {
			rest := slices.Concat(items[:i], items[i+size:])
			if differs(rest) {
				items = rest
			} else {
				i += size
			}
		}
		if size > 1 || len(items) == n {
			size /= 2
		}
	}
	return items
}
