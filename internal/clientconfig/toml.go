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

func (c Client) mergeTOML(data []byte, s Server) ([]byte, error) {
	doc, err := decodeTOML(data)
	if err != nil {
		return nil, err
	}
	servers, ok := doc[c.table].(map[string]any)
	if doc[c.table] != nil && !ok {
		return nil, fmt.Errorf("%w: %q is no table", ErrByHand, c.table)
	}
	if servers == nil {
		servers = map[string]any{}
		doc[c.table] = servers
	}
	text := bytes.Clone(data)
	if old, there := servers[s.Name]; there {
		entry, ok := old.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%w: %q is no table; remove it, or choose another name", ErrTaken, s.Name)
		}
		if err := ours(entry, s); err != nil {
			return nil, err
		}
		if entry["command"] == s.Command {
			return data, nil
		}
		entry["command"] = s.Command
		if text, err = c.replaceCommand(text, s); err != nil {
			return nil, err
		}
	} else {
		servers[s.Name] = map[string]any{"command": s.Command, "args": toAny(s.Args)}
		text = c.appendTable(text, s)
	}
	if got, err := decodeTOML(text); err != nil || !reflect.DeepEqual(got, doc) {
		return nil, errors.Join(fmt.Errorf("%w: write [%s.%s] by hand", ErrByHand, c.table, s.Name), err)
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
	return fmt.Appendf(text, "[%s.%s]%scommand = %s%sargs = %s%s",
		c.table, s.Name, nl, quote(s.Command), nl, quoteList(s.Args), nl)
}

// replaceCommand puts another command into the server's table, which must be
// one with a header.
func (c Client) replaceCommand(text []byte, s Server) ([]byte, error) {
	var p unstable.Parser
	p.Reset(text)
	inside := false
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			inside = e.Kind == unstable.Table && slices.Equal(keyOf(e), []string{c.table, s.Name})
		case unstable.KeyValue:
			v := e.Value()
			if !inside || v.Kind != unstable.String || !slices.Equal(keyOf(e), []string{"command"}) {
				continue
			}
			at := int(v.Raw.Offset)
			return slices.Replace(text, at, at+int(v.Raw.Length), []byte(quote(s.Command))...), nil
		}
	}
	return nil, fmt.Errorf("%w: %q is not a table [%s.%s] with a header; set its command to %s by hand",
		ErrByHand, s.Name, c.table, s.Name, quote(s.Command))
}

// keyOf returns the parts of an expression's key.
func keyOf(e *unstable.Node) []string {
	var parts []string
	for it := e.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return parts
}
