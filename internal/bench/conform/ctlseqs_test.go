package conform

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// ctlseqs are control sequences in the order and with the terms of xterm's ctlseqs.
// Text in «» is a choice of alternatives separated by bars, or a placeholder: n for
// a count, r for a row, c for a column, t for a short text, box for the four sides
// of a rectangle, sgr for a rendition.
var ctlseqs = []string{
	// Text.
	"«t»", "«t»", "«t»", "«t»«t»«t»", "«t»\r\n", "«A|é|日|👍|한»«t»", "«日|👍|、|한»", "e«\u0300|\u0327|\u20e3|\u200d|\ufe0e|\ufe0f»",
	"«\u0300|\u200b|\u2060|\u00ad|\u0903|\u1160|\U0001f3fd|\U0001f1e6»", "«\u00a0|\ufffd|\ue0b0|\ufffe|\U0010ffff»",
	// C0 and C1.
	"«\a|\b|\t|\n|\v|\f|\r|\x0e|\x0f|\x00|\x7f|\x05»", "«\b|\t|\n|\r»", "\x1b«D|E|H|M»", "\x1b«N|O»«q|x|A»", "\x1b«V|W»",
	"\x1b«P|X|^|_»«t»\x1b\\", "\x1b« F| L| M| N|#8|6|7|8|9|=|>|l|m|n|o|}|~»", "\x1b|", "\x1b«7|8»", "\x1b«(|)|*|+»«0|A|B|K|<»",
	// CSI.
	"\x1b[«n»«@|A|B|C|D|E|F|G|I|P|X|Z|`|a|e»", "\x1b[«n»«A|B|C|D»", "\x1b[«n» «@|A»", "\x1b[«r»;«c»«H|f»", "\x1b[«r»;«c»H", "\x1b[«r»d",
	"\x1b[«|?»«0|1|2||3»J", "\x1b[«|?»«0|1|2|»K", "\x1b[«n»«L|M»", "\x1b[«n»«S|T|^»", "«A|é|日»\x1b[«n»b", "\x1b[«|0|3|2|5»g", "\x1b[?«5|0»W",
	"\x1b[«4|20|2»«h|l»", "\x1b[?«1|5|6|7|25|45|69|95|1045|2026|66»«h|l»", "\x1b[?«6|7|69|45»h", "\x1b[?«47|1047|1048|1049»«h|l»",
	"\x1b[?«6|7|25|69|1049»«s|r»", "\x1b[«sgr»m", "\x1b[«sgr»;«sgr»m", "\x1b[«sgr»m«t»", "\x1b[!p", "\x1b[«63|64»;1\"p",
	"\x1b[«0|1|2»\"q", "\x1b[«r»;«r»r", "\x1b[r", "\x1b[?69h\x1b[«c»;«c»s", "\x1b[«c»;«c»s", "\x1b[«s|u»", "\x1b[«n»'«}|~»",
	"\x1b[«box»;«sgr»$«r|t»", "\x1b[«box»;1;«r»;«c»;1$v", "\x1b[«65|48|126»;«box»$x", "\x1b[«box»$«z|{»", "\x1b[«0|1|2»*x",
	"\x1b[#{\x1b[«sgr»m\x1b[#}", "\x1b[«n»#«P|Q»", "\x1b[«1|5|6|?6|?26»n", "\x1b[«|=|>»c", "\x1b[«2|4» q",
	// Malformed, unknown, truncated.
	"\x1b[«n»«\n|\b|\r|\t»«A|C|G|d»", "\x1b[«n»«\x18|\x1a»", "\x1b[«n»\x1b[«n»C", "\x1b[«1:2|;;|99999|007|4294967297|-1|2;3;4»«C|G|d|m|X»",
	"\x1b[«<|=|>|?»«n»«H|J|L|z»", "\x1b[«n»«!|\"|#|$|%|&»«A|w|y»", "\x1b]«0;new|4;1;red|104|133;A|8;;x:y|777;a|9999»«\a|\x1b\\»", "\xff«t»", "\xc3«t»", "\xe3\x81«t»",
}

// texts are the short texts for the placeholder t.
var texts = []string{"a", "bc", "xyz", "lorem ipsum", "The quick brown fox jumps", "日本", "ok 👍 é", "a\u0301b", "==", "  ", "0123456789ABCDEF"}

// renditions are SGR parameters for the placeholder sgr.
var renditions = []string{"", "0", "1", "2", "3", "4", "5", "7", "8", "9", "22", "23", "24", "25", "27", "28", "29", "31", "42", "39", "49",
	"95", "104", "38;5;120", "48;5;200", "38;2;1;2;3", "48:2::9:8:7", "38:5:7", "58;5;1", "59", "73"}

// A drawer makes random streams from ctlseqs. Each stream has a size and a few
// sequences of its own that occur often; others occur now and then. It was written
// independently of the generators in random.go and grammar_test.go.
type drawer struct {
	rng        *rand.Rand
	rows, cols int
}

// newDrawer returns the drawer of stream n for a seed.
func newDrawer(seed, n uint64) streamer {
	rng := rand.New(rand.NewPCG(seed, n^0x9e3779b97f4a7c15))
	return &drawer{rng, 2 + rng.IntN(9), 5 + rng.IntN(20)}
}

// size returns the stream's size.
func (d *drawer) size() (rows, cols int) { return d.rows, d.cols }

// stream returns the pieces of the stream.
func (d *drawer) stream() []string {
	own := make([]string, 4+d.rng.IntN(12))
	for i := range own {
		own[i] = choose(d.rng, ctlseqs)
	}
	pieces := make([]string, 0, 70)
	for range 6 + d.rng.IntN(64) {
		switch k := d.rng.IntN(10); {
		case k < 2 && len(pieces) > 0:
			pieces = append(pieces, choose(d.rng, pieces)) // repeat one
		case k < 8:
			pieces = append(pieces, d.fill(choose(d.rng, own)))
		default:
			pieces = append(pieces, d.fill(choose(d.rng, ctlseqs)))
		}
	}
	return pieces
}

// blank matches a choice or placeholder.
var blank = regexp.MustCompile(`«[^»]*»`)

// fill fills the placeholders of a control sequence.
func (d *drawer) fill(sequence string) string {
	return blank.ReplaceAllStringFunc(sequence, func(word string) string {
		switch word = strings.Trim(word, "«»"); word {
		case "n":
			return choose(d.rng, []string{"", "0", "1", "1", "2", "3", "5", strconv.Itoa(d.rng.IntN(30)), "1000", "65535"})
		case "r":
			return d.place(d.rows)
		case "c":
			return d.place(d.cols)
		case "t":
			return choose(d.rng, texts)
		case "sgr":
			return choose(d.rng, renditions)
		case "box":
			top, left := 1+d.rng.IntN(d.rows), 1+d.rng.IntN(d.cols)
			return strings.Join([]string{strconv.Itoa(top), strconv.Itoa(left),
				strconv.Itoa(top + d.rng.IntN(d.rows)), strconv.Itoa(left + d.rng.IntN(d.cols))}, ";")
		}
		return choose(d.rng, strings.Split(word, "|"))
	})
}

// place returns a position up to limit, sometimes none or one beyond it.
func (d *drawer) place(limit int) string {
	switch d.rng.IntN(12) {
	case 0:
		return ""
	case 1:
		return strconv.Itoa(limit + d.rng.IntN(3))
	case 2:
		return "0"
	}
	return strconv.Itoa(1 + d.rng.IntN(limit))
}

// choose returns a random item.
func choose[T any](rng *rand.Rand, items []T) T { return items[rng.IntN(len(items))] }
