package conform

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
)

// screen reads xterm's state: cursor and modes by queries, cells by printing.
func (t *XTerm) screen(label string) (Screen, error) {
	s := Screen{Label: label}
	state, err := t.ask("\x1b[18t\x1b[?25$p\x1b[?47$p\x1b[?1047$p\x1b[?1049$p\x1b[?6$p\x1b[?69$p\x1bP$qr\x1b\\\x1bP$qs\x1b\\\x1b[6n")
	if err != nil {
		return s, err
	}
	if err := s.readState(state); err != nil {
		return s, fmt.Errorf("%w in %q", err, state)
	}
	page, err := t.print("\x1b[?11i")
	if err != nil {
		return s, err
	}
	rows := parsePage(page)
	if s.Alt { // xterm prints only the alternate screen, without the scrollback
		rows = rows[max(0, len(rows)-s.Rows):]
	}
	n := max(0, len(rows)-s.Rows)
	s.Grid = rows[n:]
	s.Scrollback = n
	s.Above = rows[max(0, n-aboveRows):n]
	return s, nil
}

// readState reads the answers about size, modes and cursor.
func (s *Screen) readState(state string) error {
	x, y, origin, sides := 0, 0, false, false
	for _, q := range strings.Split(state, "\x1b") {
		var a, b int
		switch {
		case scan(q, "[8;%d;%dt", &a, &b):
			s.Rows, s.Cols = a, b
		case scan(q, "[?%d;%d$y", &a, &b):
			switch on := b == 1; a {
			case 25:
				s.Visible = on
			case 47, 1047, 1049:
				s.Alt = s.Alt || on
			case 6:
				origin = on
			case 69:
				sides = on
			}
		case scan(q, "P1$r%d;%dr", &a, &b) && origin: // then the position is relative
			y = a - 1
		case scan(q, "P1$r%d;%ds", &a, &b) && origin && sides:
			x = a - 1
		case scan(q, "[%d;%dR", &a, &b):
			x, y = x+b, y+a
		}
	}
	s.Cursor = [2]int{y - 1, x - 1}
	if s.Rows == 0 || x == 0 {
		return fmt.Errorf("no size or no position")
	}
	return nil
}

// scan reports whether text has the form.
func scan(text, form string, args ...any) bool {
	_, err := fmt.Sscanf(text, form, args...)
	return err == nil
}

// print makes xterm print, and returns the page, which ends with a form feed.
func (t *XTerm) print(query string) (string, error) {
	name := filepath.Join(t.dir, "page")
	os.Remove(name)
	if _, err := t.ask(query); err != nil {
		return "", err
	}
	// The printer command is a child of xterm's and may end a little later.
	end := time.After(replyLimit)
	for {
		page, _ := os.ReadFile(name)
		if strings.HasSuffix(string(page), "\f") {
			return string(page), nil
		}
		select {
		case <-end:
			return "", fmt.Errorf("xterm printed no whole page: %d bytes", len(page))
		case <-time.After(time.Millisecond):
		}
	}
}

// parsePage reads a page printed with attributes: each line begins with its
// DECDHL/DECDWL kind (ESC # n), a whole SGR stands before each cell that has a
// style (xterm 379 does not print one where plain cells follow), and the right
// half of a wide cell is U+FFFF.
func parsePage(page string) []Row {
	page = strings.TrimSuffix(page, "\f")
	lines := strings.Split(page, "\n")
	if n := len(lines) - 1; n >= 0 && lines[n] == "" {
		lines = lines[:n]
	}
	out := make([]Row, len(lines))
	for i, line := range lines {
		out[i] = parseLine(line)
		out[i].trim()
	}
	return out
}

// softHyphen occupies a column in xterm.
const softHyphen = 0xAD

// parseLine reads one printed line.
func parseLine(line string) Row {
	var r Row
	style := ""
	runes := []rune(strings.TrimSuffix(line, "\r"))
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; {
		case c == 0x1b && i+1 < len(runes) && runes[i+1] == '#':
			i += 2
		case c == 0x1b:
			end := i + 2
			for end < len(runes) && runes[end] != 'm' {
				end++
			}
			style = sgrWords(string(runes[i+2 : min(end, len(runes))]))
			i = end
		case c == 0xffff:
			r.widen()
			style = ""
		case (runewidth.RuneWidth(c) == 0 && c != softHyphen || c >= 0x1160 && c <= 0x11FF) && len(r.Runs) > 0: // or a conjoining jamo
			r.combine(c)
		default:
			r.add(style, 1, string(c))
			style = ""
		}
	}
	return r
}

// widen makes the last cell a wide one.
func (r *Row) widen() {
	n := len(r.Runs) - 1
	if n < 0 {
		return
	}
	last := &r.Runs[n]
	k := len(last.Cells) - 1
	style, text := last.Style, last.Cells[k]
	last.Cells = last.Cells[:k]
	if k == 0 {
		r.Runs = r.Runs[:n]
	}
	r.add(style, 2, text)
}

// combine puts c onto the last cell.
func (r *Row) combine(c rune) {
	last := &r.Runs[len(r.Runs)-1]
	last.Cells[len(last.Cells)-1] += string(c)
}

// sgrWords returns the style that an SGR with these parameters sets.
func sgrWords(params string) string {
	p := pen{on: map[string]bool{}}
	for _, f := range strings.Split(params, ";") {
		switch {
		case strings.HasPrefix(f, "38:"):
			p.fg = "f" + colorWord(f[3:])
		case strings.HasPrefix(f, "48:"):
			p.bg = "g" + colorWord(f[3:])
		default:
			p.sgr(f)
		}
	}
	if p.on["21"] { // in xterm, a bit in addition to the single underline
		delete(p.on, "4")
	}
	return p.style()
}

// styleOf returns a style in the form of Run.Style, from the SGR parameters that are on and the words
// of the colours.
func styleOf(on map[string]bool, colors ...string) string {
	var words []string
	for _, w := range [][2]string{{"1", "b"}, {"2", "d"}, {"3", "i"}, {"5", "k"}, {"7", "r"}, {"8", "h"},
		{"9", "s"}, {"53", "o"}, {"4", "u1"}, {"21", "u2"}, {"4:2", "u2"}, {"4:3", "u3"}, {"4:4", "u4"}, {"4:5", "u5"}} {
		if on[w[0]] {
			words = append(words, w[1])
		}
	}
	for _, c := range colors {
		if c != "" {
			words = append(words, c)
		}
	}
	return strings.Join(words, " ")
}

// colorWord returns the word of the colour after 38: or 48:.
func colorWord(p string) string {
	f := strings.Split(p, ":")
	if f[0] == "5" && len(f) == 2 {
		if n, _ := strconv.Atoi(f[1]); n > 255 { // after DECALN or DECRC, xterm has forgotten that it was a direct colour
			return fmt.Sprintf("#%06x", n)
		}
		return f[1]
	}
	var v [3]int
	for i := range v {
		if k := len(f) - 3 + i; k >= 0 {
			v[i], _ = strconv.Atoi(f[k])
		}
	}
	return fmt.Sprintf("#%02x%02x%02x", v[0], v[1], v[2])
}
