package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// mergeTOML is Merge for TOML.
func (c Client) mergeTOML(data []byte, s Server) ([]byte, error) {
	doc, servers, err := c.tomlServers(data)
	if err != nil {
		return nil, err
	}
	text := bytes.Clone(data)
	if old, there := servers[s.Name]; there {
		entry, ok := old.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%w: %q is not a table; remove it, or choose another name", ErrTaken, s.Name)
		}
		u, err := c.update(entry, s)
		if err != nil || !u.changes() {
			return data, err
		}
		if text, err = c.updateTOML(text, s.Name, u); err != nil {
			return nil, err
		}
	} else {
		servers[s.Name] = c.entry(s)
		doc[c.table] = servers
		text = c.appendTable(text, s)
	}
	return c.sameTOML(text, doc, s.Name)
}

// removeTOML is Remove for TOML.
func (c Client) removeTOML(data []byte, name string) ([]byte, error) {
	doc, servers, err := c.tomlServers(data)
	if err != nil {
		return nil, err
	}
	old, there := servers[name]
	if !there {
		return data, nil
	}
	if err := c.ours(old, name); err != nil {
		return nil, err
	}
	text := c.cutTables(data, name)
	delete(servers, name)
	after, err := decodeTOML(text)
	if err != nil {
		return nil, err
	}
	if _, kept := after[c.table]; !kept && len(servers) == 0 {
		delete(doc, c.table) // only the table below it had named it
	}
	return c.sameTOML(text, doc, name)
}

// tomlServers returns the document and the table of the servers, which may be new.
func (c Client) tomlServers(data []byte) (doc, servers map[string]any, err error) {
	if doc, err = decodeTOML(data); err != nil {
		return nil, nil, err
	}
	servers, ok := doc[c.table].(map[string]any)
	if doc[c.table] != nil && !ok {
		return nil, nil, fmt.Errorf("%w: %q is not a table", ErrByHand, c.table)
	}
	if servers == nil {
		servers = map[string]any{}
	}
	return doc, servers, nil
}

// sameTOML returns text when it means doc.
func (c Client) sameTOML(text []byte, doc map[string]any, name string) ([]byte, error) {
	if got, err := decodeTOML(text); err != nil || !reflect.DeepEqual(got, doc) {
		return nil, errors.Join(fmt.Errorf("%w: edit [%s.%s] by hand", ErrByHand, c.table, name), err)
	}
	return text, nil
}

// decodeTOML reads a whole file.
func decodeTOML(text []byte) (map[string]any, error) {
	doc := map[string]any{}
	if err := toml.Unmarshal(text, &doc); err != nil {
		if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
			row, col := at.Position()
			return nil, fmt.Errorf("%w TOML: line %d, column %d: %w", ErrSyntax, row, col, err)
		}
		return nil, fmt.Errorf("%w TOML: %w", ErrSyntax, err)
	}
	return doc, nil
}

// appendTable adds the server's table at the end.
func (c Client) appendTable(text []byte, s Server) []byte {
	nl := newline(text)
	if len(text) > 0 {
		if text[len(text)-1] != '\n' {
			text = append(text, nl...)
		}
		text = append(text, nl...)
	}
	text = fmt.Appendf(text, "[%s.%s]%s", c.table, s.Name, nl)
	for _, f := range c.fields(s) {
		text = fmt.Appendf(text, "%s = %s%s", f.name, f.json, nl)
	}
	return text
}

// updateTOML changes the server's table, which must be one with a header.
func (c Client) updateTOML(text []byte, name string, u diff) ([]byte, error) {
	if u.command != "" {
		v, at := c.valueTOML(text, name, c.shape.command)
		if v == nil || v.Kind != unstable.String {
			return nil, fmt.Errorf("%w: %q is not a table [%s.%s] with a header; set its command to %s by hand",
				ErrByHand, name, c.table, name, quote(u.command))
		}
		text = splice(text, at, quote(u.command))
	}
	if slices.Equal(u.args, u.want) {
		return text, nil
	}
	v, _ := c.valueTOML(text, name, c.shape.args)
	if v == nil || v.Kind != unstable.Array || len(u.args) == 0 {
		return nil, fmt.Errorf("%w: make the args of %q %s by hand", ErrByHand, name, quoteList(u.want))
	}
	var elements []span
	for it := v.Children(); it.Next(); {
		elements = append(elements, rawSpan(it.Node()))
	}
	list := span{
		bytes.LastIndexByte(text[:elements[0].start], '['),
		elements[len(elements)-1].end + bytes.IndexByte(text[elements[len(elements)-1].end:], ']') + 1,
	}
	return relist(text, list, elements, u)
}

// valueTOML returns the value of a key of the server's table, and where it stands.
func (c Client) valueTOML(text []byte, name, key string) (*unstable.Node, span) {
	var p unstable.Parser
	p.Reset(text)
	inside := false
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			inside = e.Kind == unstable.Table && slices.Equal(keyOf(e), []string{c.table, name})
		case unstable.KeyValue:
			if inside && slices.Equal(keyOf(e), []string{key}) {
				return e.Value(), rawSpan(e.Value())
			}
		}
	}
	return nil, span{}
}

// rawSpan returns where a node stands.
func rawSpan(n *unstable.Node) span {
	return span{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
}

// cutTables takes out the server's table and those below it. Comments that stand right
// before the next table belong to that.
func (c Client) cutTables(text []byte, name string) []byte {
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
			ours := len(key) >= 2 && key[0] == c.table && key[1] == name
			headers = append(headers, header{lineStart(text, int(it.Node().Raw.Offset)), ours})
		}
	}
	end := len(text)
	for _, h := range slices.Backward(headers) {
		start := h.at
		if h.ours {
			at := span{h.at, withoutTail(text, h.at, end)}
			// The blank line before it goes along, as it came along.
			if before := text[:at.start]; bytes.HasSuffix(before, []byte("\n\n")) {
				at.start--
			} else if bytes.HasSuffix(before, []byte("\r\n\r\n")) {
				at.start -= 2
			}
			text, start = splice(text, at, ""), at.start
		}
		end = start
	}
	return text
}

// withoutTail returns where the lines from start to end go on with nothing but comments
// and blank lines.
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
