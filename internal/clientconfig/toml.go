package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlFile is a TOML file.
type tomlFile struct{ *file }

func (tomlFile) object() string { return "a table" }

// decode parses the file.
func (f tomlFile) decode() (map[string]any, error) {
	doc := map[string]any{}
	if err := toml.Unmarshal(f.text, &doc); err != nil {
		if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
			row, col := at.Position()
			return nil, fmt.Errorf("%w TOML: line %d, column %d: %w", ErrSyntax, row, col, err)
		}
		return nil, fmt.Errorf("%w TOML: %w", ErrSyntax, err)
	}
	return doc, nil
}

// insert adds the server's table at the end.
func (f tomlFile) insert(s Server) error {
	text, nl := bytes.Clone(f.text), newline(f.text)
	if len(text) > 0 {
		if text[len(text)-1] != '\n' {
			text = append(text, nl...)
		}
		text = append(text, nl...)
	}
	text = fmt.Appendf(text, "[%s.%s]%s", f.client.table, s.Name, nl)
	for _, field := range f.client.fields(s) {
		text = fmt.Appendf(text, "%s = %s%s", field.name, field.json, nl)
	}
	f.text = text
	return nil
}

// update changes the server's table, which must have a header.
func (f tomlFile) update(u diff) error {
	c, name := f.client, f.name
	if u.command != "" {
		v, at := f.value(c.shape.command)
		if v == nil || v.Kind != unstable.String {
			return fmt.Errorf("%w: %q is not a table [%s.%s] with a header; set its command to %s by hand",
				ErrByHand, name, c.table, name, quote(u.command))
		}
		f.text = splice(f.text, at, quote(u.command))
	}
	if slices.Equal(u.args, u.want) {
		return nil
	}
	v, _ := f.value(c.shape.args)
	if v == nil || v.Kind != unstable.Array || len(u.args) == 0 {
		return fmt.Errorf("%w: make the args of %q %s by hand", ErrByHand, name, quoteList(u.want))
	}
	var elements []span
	for it := v.Children(); it.Next(); {
		elements = append(elements, rawSpan(it.Node()))
	}
	list := span{
		bytes.LastIndexByte(f.text[:elements[0].start], '['),
		elements[len(elements)-1].end + bytes.IndexByte(f.text[elements[len(elements)-1].end:], ']') + 1,
	}
	f.text = splice(f.text, list, relist(f.text, list, elements, u))
	return nil
}

// value returns the value of a key in the server's table and its span, or nil if there is
// none.
func (f tomlFile) value(key string) (*unstable.Node, span) {
	var p unstable.Parser
	p.Reset(f.text)
	inside := false
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			inside = e.Kind == unstable.Table && slices.Equal(keyOf(e), []string{f.client.table, f.name})
		case unstable.KeyValue:
			if inside && slices.Equal(keyOf(e), []string{key}) {
				return e.Value(), rawSpan(e.Value())
			}
		}
	}
	return nil, span{}
}

// rawSpan returns the span of a node.
func rawSpan(n *unstable.Node) span {
	return span{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
}

// cut removes the server's table and its subtables. Comments right before the next table
// belong to that table.
func (f tomlFile) cut(bool) error {
	text := f.text
	type header struct {
		at   int
		ours bool
	}
	var headers []header
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		if e := p.Expression(); e.Kind == unstable.Table || e.Kind == unstable.ArrayTable {
			key, it := keyOf(e), e.Key()
			it.Next()
			ours := len(key) >= 2 && key[0] == f.client.table && key[1] == f.name
			headers = append(headers, header{lineStart(text, int(it.Node().Raw.Offset)), ours})
		}
	}
	end := len(text)
	for _, h := range slices.Backward(headers) {
		start := h.at
		if h.ours {
			at := span{h.at, withoutTail(text, h.at, end)}
			// insert has added the blank line before the table.
			if before := text[:at.start]; bytes.HasSuffix(before, []byte("\n\n")) {
				at.start--
			} else if bytes.HasSuffix(before, []byte("\r\n\r\n")) {
				at.start -= 2
			}
			text, start = splice(text, at, ""), at.start
		}
		end = start
	}
	f.text = text
	return nil
}

// withoutTail returns the end of the lines from start to end without trailing comments and
// blank lines.
func withoutTail(text []byte, start, end int) int {
	for end > start {
		line := lineStart(text, end-1)
		if trimmed := bytes.TrimSpace(text[line:end]); len(trimmed) > 0 && trimmed[0] != '#' {
			break
		}
		end = line
	}
	return end
}

// keyOf returns the parts of an expression's key.
func keyOf(e *unstable.Node) []string {
	var parts []string
	for it := e.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return parts
}
