package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlFile is a TOML file.
type tomlFile struct{ *file }

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
	text = fmt.Appendf(text, "[%s.%s]%s", f.client.table, serverName, nl)
	for _, field := range f.client.fields(s) {
		text = fmt.Appendf(text, "%s = %s%s", field.name, field.json, nl)
	}
	f.text = text
	return nil
}

// set replaces a field in the server's table. It returns an error if this table has no header of its own.
func (f tomlFile) set(to field) error {
	var p unstable.Parser
	p.Reset(f.text)
	inside := false
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			inside = slices.Equal(keyOf(e), []string{f.client.table, serverName})
		case unstable.KeyValue:
			if inside && slices.Equal(keyOf(e), []string{to.name}) {
				at := span{int(e.Raw.Offset), int(e.Raw.Offset + e.Raw.Length)}
				f.text = splice(f.text, at, to.name+" = "+to.json)
				return nil
			}
		}
	}
	return f.notEditable(to)
}

// cut removes the server's table and its subtables. Comments and blank lines after a table stay.
func (f tomlFile) cut(bool) error {
	type table struct {
		at   int
		ours bool
	}
	var tables []table
	var p unstable.Parser
	p.Reset(f.text)
	for p.NextExpression() {
		if e := p.Expression(); e.Kind == unstable.Table || e.Kind == unstable.ArrayTable {
			key, it := keyOf(e), e.Key()
			it.Next()
			ours := len(key) >= 2 && key[0] == f.client.table && key[1] == serverName
			tables = append(tables, table{lineStart(f.text, int(it.Node().Raw.Offset)), ours})
		}
	}
	blank, end := strings.Repeat(newline(f.text), 2), len(f.text)
	for _, t := range slices.Backward(tables) {
		at := span{t.at, withoutTail(f.text, t.at, end)}
		if end = t.at; !t.ours {
			continue
		}
		if bytes.HasSuffix(f.text[:at.start], []byte(blank)) {
			at.start -= len(blank) / 2 // the blank line that insert writes before a table
		}
		f.text, end = splice(f.text, at, ""), at.start
	}
	return nil
}

// withoutTail returns the end of the text from start to end without its trailing comments and blank
// lines.
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
