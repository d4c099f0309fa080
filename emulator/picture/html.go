package picture

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// htmlHead is the start of the page. Widths are in ch, so wide characters take two
// columns in any font. Lines are slightly lower than the fonts' characters, so that
// backgrounds and box-drawing lines join.
const htmlHead = `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>%s</title>
<style>
body{margin:0;background:%s}
pre{margin:0;padding:1ch;color:%s;background:%s;font:14px/16px "DejaVu Sans Mono",Menlo,Consolas,monospace;font-variant-ligatures:none}
a{color:inherit}
.b{font-weight:bold}.i{font-style:italic}.w{display:inline-block;width:2ch;overflow:hidden;vertical-align:bottom}
</style></head>
<body><pre>`

// HTML writes the rows as a self-contained page.
func HTML(w io.Writer, snap *emulator.Snapshot, o Options) error {
	v, err := newView(snap, o)
	if err != nil {
		return err
	}
	p := newPage(w, snap.Title)
	for i := range v.rows {
		p.line(v, i)
	}
	return p.end()
}

// LongHTML writes the same page as HTML without holding all of it in memory. rows yields
// the scrollback rows, whose number is above, followed by those of the screen. The title,
// size and cursor are those of snap. It uses only o.Reveal.
func LongHTML(w io.Writer, rows iter.Seq[emulator.Row], above int, snap *emulator.Snapshot, o Options) error {
	p := newPage(w, snap.Title)
	n := -above
	for row := range rows {
		v := view{rows: [][]emulator.Cell{cutCells(row.Cells, 0, snap.Size.Cols)}, cols: snap.Size.Cols, reveal: o.Reveal, images: snap.Images}
		if c := snap.Cursor; c.Visible && c.Row == n {
			c.Row = 0
			v.cursor = &c
		}
		p.line(&v, 0)
		n++
	}
	return p.end()
}

// A page is an HTML document that is being written.
type page struct {
	w *bufio.Writer
	definitions
}

// newPage writes the start of a page.
func newPage(w io.Writer, title string) *page {
	p := &page{bufio.NewWriter(w), newDefinitions()}
	fmt.Fprintf(p.w, htmlHead, escape(title), Background, Foreground, Background)
	return p
}

// end writes the end of the page.
func (p *page) end() error {
	if p.err != nil {
		return p.err
	}
	p.w.WriteString("</pre></body></html>\n") // Flush returns the error, if any
	return p.w.Flush()
}

// line writes a row as images and spans of uniform style.
func (p *page) line(v *view, row int) {
	b := p.w
	end := max(v.styledEnd(row, true), v.imageEnd(row))
	cells := v.rows[row][:end]
	for col := 0; col < end; {
		if n := TileRun(cells[col:]); n > 0 && p.tiles(v, cells[col:col+n]) {
			col += n
			continue
		}
		from := col
		cursor, block := v.cursorCovers(row, col), isBlock(cells[col].Text)
		for col < end && cells[col].Style == cells[from].Style &&
			v.cursorCovers(row, col) == cursor && isBlock(cells[col].Text) == block &&
			cells[col].Tile.Placement == cells[from].Tile.Placement {
			col++
		}
		v.htmlSpan(b, cells[from:col], cursor)
	}
	b.WriteByte('\n')
}

// tiles writes adjacent tiles of one row. It reports false if their image cannot be
// shown.
func (p *page) tiles(v *view, cells []emulator.Cell) bool {
	tile := cells[0].Tile
	placement := v.images[tile.Placement]
	if placement == nil {
		return false
	}
	// The style has the size of the whole placement, of which each row shows a part.
	hasStyle := p.define(placement, func(url string) {
		fmt.Fprintf(p.w, "<style>.t%d{display:inline-block;height:16px;vertical-align:bottom;background:url(%s) 0 0/%dch %dpx}</style>",
			tile.Placement, url, placement.Cols, placement.Rows*16)
	})
	if hasStyle {
		background := ""
		if bg := resolve(cells[0].Style).bg; bg != Background {
			background = ";background-color:" + bg.String()
		}
		fmt.Fprintf(p.w, `<span class="t%d" style="width:%dch;background-position:-%dch -%dpx%s"></span>`,
			tile.Placement, len(cells), tile.Col, int(tile.Row)*16, background)
	}
	return hasStyle
}

// cursorCovers reports whether the cursor is on the cell at col, or on the wide cell of
// which that is the spacer.
func (v *view) cursorCovers(row, col int) bool {
	return v.at(row, col) || col > 0 && v.rows[row][col].Width == 0 && v.at(row, col-1)
}

// htmlSpan writes cells of one style.
func (v *view) htmlSpan(b *bufio.Writer, cells []emulator.Cell, cursor bool) {
	style := cells[0].Style
	l := resolve(style)
	l.fg = l.textColor(cells[0].Text)
	class, css := v.htmlStyle(style, l, cursor)
	text := v.htmlText(cells, l.hidden)
	href := SafeLink(style.Link.URI())
	switch {
	case href != "":
		fmt.Fprintf(b, `<a href="%s"`, escape(href))
	case class == "" && css == "":
		b.WriteString(text)
		return
	default:
		b.WriteString("<span")
	}
	if class != "" {
		fmt.Fprintf(b, ` class="%s"`, class)
	}
	if css != "" {
		fmt.Fprintf(b, ` style="%s"`, css)
	}
	b.WriteByte('>')
	b.WriteString(text)
	if href != "" {
		b.WriteString("</a>")
	} else {
		b.WriteString("</span>")
	}
}

// htmlText returns the text of cells, with wide characters in boxes of two columns.
func (v *view) htmlText(cells []emulator.Cell, hidden bool) string {
	var b strings.Builder
	for _, c := range cells {
		text := v.text(c)
		if strings.ContainsAny(text, "<>&'\"") {
			text = escape(text)
		}
		switch {
		case c.Width == 0:
		case text == "" || hidden:
			b.WriteString(strings.Repeat(" ", width(c)))
		case c.Width == 2:
			b.WriteString(`<span class="w">` + text + `</span>`)
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

// htmlStyle returns the class and CSS for a style.
func (v *view) htmlStyle(s emulator.Style, l look, cursor bool) (class, css string) {
	var classes, out []string
	if s.Attrs&emulator.Bold != 0 {
		classes = append(classes, "b")
	}
	if s.Attrs&emulator.Italic != 0 {
		classes = append(classes, "i")
	}
	if cursor && v.cursor.Shape == emulator.CursorBlock {
		l.fg, l.bg = l.bg, cursorColor
	}
	if l.fg != Foreground {
		out = append(out, "color:"+l.fg.String())
	}
	if l.bg != Background {
		out = append(out, "background:"+l.bg.String())
	}
	if line := htmlLines(s, l); line != "" {
		out = append(out, line)
	}
	if cursor && v.cursor.Shape != emulator.CursorBlock {
		edge := map[emulator.CursorShape]string{emulator.CursorUnderline: "0 -2px", emulator.CursorBar: "2px 0"}
		out = append(out, "box-shadow:inset "+edge[v.cursor.Shape]+" "+cursorColor.String())
	}
	return strings.Join(classes, " "), strings.Join(out, ";")
}

// htmlLines returns the CSS for underline, overline and strike.
func htmlLines(s emulator.Style, l look) string {
	kinds := [...]string{"", "", " double", " wavy", " dotted", " dashed"}
	line := ""
	if s.Underline != emulator.UnderlineNone && int(s.Underline) < len(kinds) {
		line += " underline" + kinds[s.Underline]
	}
	if s.Attrs&emulator.Overline != 0 {
		line += " overline"
	}
	if s.Attrs&emulator.Strike != 0 {
		line += " line-through"
	}
	if line == "" {
		return ""
	}
	if l.line != l.fg {
		line += " " + l.line.String()
	}
	return "text-decoration:" + line[1:]
}

// SafeLink returns uri if it is safe to open, or "" if it is not a URL or has a scheme
// that could run something (such as javascript:).
func SafeLink(uri string) string {
	u, err := url.Parse(cleanLink(uri, ""))
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "mailto", "ftp":
		return u.String()
	}
	return ""
}

// cleanText replaces control characters and invalid UTF-8.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
