package conform

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A grammar makes random streams of what programs and hostile authors write. Each
// stream has a size and a few themes of its own, so that the sequences of one theme
// often occur together. It was written independently of the generator in random.go.
type grammar struct {
	rng        *rand.Rand
	rows, cols int
	themes     []func() string
}

// newGrammar returns the grammar of stream n for a seed.
func newGrammar(seed, n uint64) streamer {
	g := &grammar{rng: rand.New(rand.NewPCG(seed, n))}
	g.rows, g.cols = 2+g.rng.IntN(9), 4+g.rng.IntN(40)
	all := []func() string{
		g.wide, g.marks, g.edit, g.scroll, g.margins, g.modes, g.screens, g.saved, g.sets, g.tabs,
		g.rectangles, g.protection, g.resets, g.strings, g.broken, g.colours, g.controls,
	}
	always := []func() string{g.words, g.words, g.long, g.move, g.line, g.erase, g.rendition}
	for range 1 + g.rng.IntN(5) {
		theme := all[g.rng.IntN(len(all))]
		g.themes = append(g.themes, theme, theme)
	}
	g.themes = append(g.themes, always...)
	return g
}

// stream returns the pieces of a stream.
func (g *grammar) stream() []string {
	out := make([]string, 8+g.rng.IntN(72))
	for i := range out {
		out[i] = g.themes[g.rng.IntN(len(g.themes))]()
	}
	return out
}

// size returns the stream's size.
func (g *grammar) size() (rows, cols int) { return g.rows, g.cols }

func (g *grammar) one(of ...string) string { return of[g.rng.IntN(len(of))] }

// number returns a parameter: mostly small, often at an edge of the screen,
// sometimes missing or far out of range.
func (g *grammar) number() string {
	switch g.rng.IntN(12) {
	case 0:
		return ""
	case 1:
		return "0"
	case 2:
		return fmt.Sprint(g.rows + g.rng.IntN(3) - 1)
	case 3:
		return fmt.Sprint(g.cols + g.rng.IntN(3) - 1)
	case 4:
		return g.one("99", "1000", "65535", "99999", "2147483648")
	case 5, 6:
		return fmt.Sprint(1 + g.rng.IntN(g.cols))
	case 7, 8:
		return fmt.Sprint(1 + g.rng.IntN(g.rows))
	}
	return fmt.Sprint(1 + g.rng.IntN(4))
}

// csi returns a control sequence with up to n parameters.
func (g *grammar) csi(prefix string, n int, final string) string {
	var p []string
	for range g.rng.IntN(n + 1) {
		p = append(p, g.number())
	}
	return "\x1b[" + prefix + strings.Join(p, ";") + final
}

func (g *grammar) words() string {
	var b strings.Builder
	for range 1 + g.rng.IntN(4) {
		for range 1 + g.rng.IntN(7) {
			b.WriteByte(byte('a' + g.rng.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// long returns text that fills a row exactly or runs past it.
func (g *grammar) long() string {
	n := g.cols + g.rng.IntN(5) - 2
	if g.rng.IntN(3) == 0 {
		n = g.rng.IntN(3 * g.cols)
	}
	return strings.Repeat(g.one("0123456789", "ab", "-", "x y "), n)[:n]
}

func (g *grammar) wide() string {
	return strings.Repeat(g.one("日", "本語", "한", "ｗ", "🙂", "a漢", "表b"), 1+g.rng.IntN(4))
}

func (g *grammar) marks() string {
	return g.one("é", "e\u0301", "n\u0303\u0323", "\u0300", "a\u200bb", "x\u20dd", "日\u0301", "│├─┤", "▀▄█", "¡ÿ", "“q”")
}

func (g *grammar) line() string {
	return g.one("\r\n", "\r\n", "\r\n", "\n", "\r", "\n\n", "\b", "\b\b\b", "\t", "\v", "\f")
}

func (g *grammar) controls() string {
	return g.one("\x00", "\x07", "\x7f", "\x0e", "\x0f", "\x01", "\x1f", "\x18", "\x1a", "\x05",
		"\u0085", "\u0084", "\u009b2C", "\x1bD", "\x1bE", "\x1bM", "\x1b=", "\x1b>", "\x1b\\")
}

func (g *grammar) move() string {
	switch g.rng.IntN(4) {
	case 0:
		return g.csi("", 2, g.one("H", "f"))
	case 1:
		return fmt.Sprintf("\x1b[%d;%dH", 1+g.rng.IntN(g.rows), 1+g.rng.IntN(g.cols))
	}
	return g.csi("", 1, g.one("A", "B", "C", "D", "E", "F", "G", "d", "`", "a", "e"))
}

func (g *grammar) erase() string {
	return "\x1b[" + g.one("", "0", "1", "2") + g.one("J", "K", "K") + g.one("", "", g.csi("", 1, "X"))
}

func (g *grammar) edit() string {
	if g.rng.IntN(5) == 0 {
		return g.one("x", "日", "é", "x\x1b[m") + g.csi("", 1, "b")
	}
	return g.csi("", 1, g.one("@", "P", "L", "M", "X"))
}

func (g *grammar) scroll() string {
	return g.one(g.csi("", 1, "S"), g.csi("", 1, "T"), g.csi("", 1, "^"), "\x1bD", "\x1bM", "\x1bM\x1bM", "\x1bE",
		g.csi("", 1, " @"), g.csi("", 1, " A"), g.csi("", 1, "'}"), g.csi("", 1, "'~"), "\x1b6", "\x1b9", "\n\n\n")
}

func (g *grammar) margins() string {
	switch g.rng.IntN(6) {
	case 0:
		return g.one("\x1b[r", "\x1b[?69l", "\x1b[s")
	case 1:
		return g.csi("", 2, "r")
	case 2:
		return "\x1b[?69h" + g.csi("", 2, "s")
	case 3:
		left := 1 + g.rng.IntN(g.cols/2)
		return fmt.Sprintf("\x1b[?69h\x1b[%d;%ds", left, left+1+g.rng.IntN(g.cols/2))
	case 4:
		return g.one("\x1b[?6h", "\x1b[?6l")
	}
	top := 1 + g.rng.IntN(g.rows)
	return fmt.Sprintf("\x1b[%d;%dr", top, top+1+g.rng.IntN(g.rows))
}

func (g *grammar) modes() string {
	mode := g.one("4", "4", "20", "?7", "?7", "?6", "?25", "?41", "?5", "?1", "?2004", "?12", "?44", "?1007", "3", "?8")
	return "\x1b[" + mode + g.one("h", "h", "l") + g.one("", "", fmt.Sprintf("\x1b[?%s%s", g.one("7", "6", "25", "1;7"), g.one("s", "r")))
}

func (g *grammar) screens() string {
	return "\x1b[?" + g.one("47", "1047", "1049", "1049", "1048", "1046") + g.one("h", "l")
}

func (g *grammar) saved() string {
	return g.one("\x1b7", "\x1b8", "\x1b7", "\x1b8", "\x1b[s", "\x1b[u")
}

func (g *grammar) sets() string {
	return g.one("\x1b(0", "\x1b(B", "\x1b)0", "\x1b)<", "\x1b+>", "\x1b(A", "\x1b-A", "\x1b(K", "\x1b(X", "\x0e", "\x0f",
		"\x1bn", "\x1bo", "\x1bN", "\x1bO", "lqqk x mqqj", "[]{}~#@", "\x1b(0q\x1b(B")
}

func (g *grammar) tabs() string {
	return g.one("\t", "\t\t", "\x1bH", g.csi("", 1, "g"), "\x1b[3g", g.csi("", 1, "I"), g.csi("", 1, "Z"))
}

func (g *grammar) area() string {
	if g.rng.IntN(5) == 0 {
		var p []string
		for range 4 {
			p = append(p, g.number())
		}
		return strings.Join(p, ";")
	}
	top, left := 1+g.rng.IntN(g.rows), 1+g.rng.IntN(g.cols)
	return fmt.Sprintf("%d;%d;%d;%d", top, left, min(top+g.rng.IntN(g.rows), g.rows), min(left+g.rng.IntN(g.cols), g.cols))
}

func (g *grammar) rectangles() string {
	switch g.rng.IntN(7) {
	case 0:
		return fmt.Sprintf("\x1b[%s;1;%d;%d;1$v", g.area(), 1+g.rng.IntN(g.rows), 1+g.rng.IntN(g.cols))
	case 1:
		return "\x1b[" + g.one("88", "42", "", "32", "233", "0", "8364") + ";" + g.area() + "$x"
	case 2:
		return "\x1b[" + g.area() + g.one("$z", "${")
	case 3:
		return "\x1b[" + g.one("", "0", "1", "2") + "*x"
	case 4:
		return "\x1b[$x"
	}
	return "\x1b[" + g.area() + ";" + g.one("1", "4", "5", "7", "0", "22;27", "1;7", "") + g.one("$r", "$t")
}

func (g *grammar) protection() string {
	return g.one("\x1b[1\"q", "\x1b[0\"q", "\x1b[2\"q", "\x1bV", "\x1bW", "\x1b[?J", "\x1b[?1J", "\x1b[?2J", "\x1b[?K", "\x1b[?1K",
		"\x1b[?2K", "\x1b["+g.area()+"${", "\x1b[2J", "\x1b[K", "\x1b[3X")
}

func (g *grammar) resets() string {
	return g.one("\x1b[!p", "\x1b[!p", "\x1b#8", "\x1b[64;1\"p", "\x1b[63;1\"p")
}

func (g *grammar) strings() string {
	return g.one("\x1b]2;title\a", "\x1b]0;t\x1b\\", "\x1bPq#0~\x1b\\", "\x1b_Gi=1;AAAA\x1b\\", "\x1b^private\x1b\\", "\x1bXstring\x1b\\",
		"\x1b]8;;http://e.org/\x1b\\", "\x1b]8;;\x1b\\", "\x1b]4;1;?\a", "\x1bP$qm\x1b\\", "\x1b]2;a\u009cb\a", "\x1b]777;a\x18", "\x1bP\x1b\\")
}

func (g *grammar) broken() string {
	return g.one("\x1b[1:2C", "\x1b[?1;2J", "\x1b[;H", "\x1b[3\x18", "\x1b[2\r1C", "\x1b[2\x1b[1C", "\x1b\x1b[C", "\x1b[>5J", "\x1b[1 J",
		"\x1b[!!p", "\x1b%G", "\x1b[38;5m", "\x1b[;;m", "\x1b[=1K", "\x1b[1;1;1T", "\x1b[9999999999C", "\x1b[1\n;1H", "\x1b[1$$x", "\x1b#9", "\x1b Z")
}

func (g *grammar) rendition() string {
	return "\x1b[" + g.one("", "0", "1", "2", "3", "4", "5", "7", "8", "9", "21", "22", "24", "27", "1;31", "44", "38;5;208",
		"48;2;1;2;3", "39;49", "90;107", "4;7", "38:2::9:8:7", "7;42", "29;28;25;23") + "m"
}

func (g *grammar) colours() string {
	return g.one(g.rendition(), g.rendition()+"\x1b[K", "\x1b[1;4#{", "\x1b[#{", "\x1b[#}", "\x1b[42m\x1b[2J", "\x1b[41m"+g.csi("", 1, "X"),
		"\x1b[46m"+g.csi("", 1, "P"), "\x1b[45m\n", "\x1b[m")
}
