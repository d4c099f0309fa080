package picture

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"net/url"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// htmlHead is the start of the page. Cells are laid out by ch units, so wide
// characters take two columns whatever font shows them. Lines are a little lower
// than the fonts' characters, so that backgrounds and box-drawing lines join.
const htmlHead = `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>%s</title>
<style>
body{margin:0;background:%s}
pre{margin:0;padding:1ch;color:%s;background:%s;font:14px/16px "DejaVu Sans Mono",Menlo,Consolas,monospace;font-variant-ligatures:none}
a{color:inherit}
.b{font-weight:bold}.i{font-style:italic}.w{display:inline-block;width:2ch;overflow:hidden;vertical-align:bottom}
</style></head>
<body><pre>`

// HTML writes a page that shows the rows and needs nothing else.
func HTML(w io.Writer, snap *emulator.Snapshot, o Options) error {
	v, err := newView(snap, o)
	if err != nil {
		return err
	}
	t := o.Theme.orDark()
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, htmlHead, html.EscapeString(cleanText(snap.Title)), t.BG, t.FG, t.BG)
	for i := range v.rows {
		v.htmlLine(b, t, i)
	}
	b.WriteString("</pre></body></html>\n")
	return b.Flush()
}

// htmlLine writes a row as spans of equal style.
func (v *view) htmlLine(b *bufio.Writer, t Theme, row int) {
	end := v.styledEnd(row, true)
	cells := v.rows[row][:end]
	for col := 0; col < end; {
		from := col
		cursor, block := v.cursorCovers(row, col), isBlock(cells[col].Text)
		for col < end && cells[col].Style == cells[from].Style &&
			v.cursorCovers(row, col) == cursor && isBlock(cells[col].Text) == block {
			col++
		}
		v.htmlSpan(b, t, cells[from:col], cursor)
	}
	b.WriteByte('\n')
}

// cursorCovers reports whether the cursor is on the cell at col or on the wide
// cell whose spacer that is.
func (v *view) cursorCovers(row, col int) bool {
	return v.at(row, col) || col > 0 && v.rows[row][col].Width == 0 && v.at(row, col-1)
}

// htmlSpan writes cells of one style.
func (v *view) htmlSpan(b *bufio.Writer, t Theme, cells []emulator.Cell, cursor bool) {
	style := cells[0].Style
	l := t.look(style)
	l.fg = l.ink(cells[0].Text)
	class, css := v.htmlStyle(t, style, l, cursor)
	text := v.htmlText(cells, l.hidden)
	href := safeLink(style.Link.URI())
	switch {
	case href != "":
		fmt.Fprintf(b, `<a href="%s"`, html.EscapeString(href))
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

// htmlText returns the cells' text, wide ones in boxes of two columns.
func (v *view) htmlText(cells []emulator.Cell, hidden bool) string {
	var b strings.Builder
	for _, c := range cells {
		text := html.EscapeString(v.text(c))
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

// htmlStyle returns the class and the CSS of a style.
func (v *view) htmlStyle(t Theme, s emulator.Style, l look, cursor bool) (class, css string) {
	var classes, out []string
	if s.Attrs&emulator.Bold != 0 {
		classes = append(classes, "b")
	}
	if s.Attrs&emulator.Italic != 0 {
		classes = append(classes, "i")
	}
	if cursor && v.cursor.Shape == emulator.CursorBlock {
		l.fg, l.bg = l.bg, t.Cursor
	}
	if l.fg != t.FG {
		out = append(out, "color:"+l.fg.String())
	}
	if l.bg != t.BG {
		out = append(out, "background:"+l.bg.String())
	}
	if line := htmlLines(s, l); line != "" {
		out = append(out, line)
	}
	if cursor && v.cursor.Shape != emulator.CursorBlock {
		edge := map[emulator.CursorShape]string{emulator.CursorUnderline: "0 -2px", emulator.CursorBar: "2px 0"}
		out = append(out, "box-shadow:inset "+edge[v.cursor.Shape]+" "+t.Cursor.String())
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

// safeLink returns a link target that a reader may click, "" for schemes that
// could run something (javascript:) and for what is no URL.
func safeLink(uri string) string {
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

// cleanText replaces control characters.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
