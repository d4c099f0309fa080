package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A yamlFile is a text under edit, and what it means.
type yamlFile struct {
	client  Client
	text    []byte
	root    *yaml.Node // the mapping; nil in a file without one
	servers *yaml.Node // the mapping of the servers, nil when there is none
	name    *yaml.Node // its key
}

// readYAML reads a whole file.
func (c Client) readYAML(data []byte) (*yamlFile, map[string]any, error) {
	doc := map[string]any{}
	var node yaml.Node
	err := yaml.Unmarshal(data, &doc)
	if err == nil {
		err = yaml.Unmarshal(data, &node)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w YAML: %w", ErrSyntax, err)
	}
	f := &yamlFile{client: c, text: data}
	if len(node.Content) > 0 {
		if f.root = node.Content[0]; f.root.Kind != yaml.MappingNode || f.root.Style&yaml.FlowStyle != 0 {
			return nil, nil, fmt.Errorf("%w YAML: the file is not a mapping with a line for each key", ErrSyntax)
		}
	}
	f.name, f.servers = member(f.root, c.table)
	if f.servers != nil && f.servers.Kind != yaml.MappingNode && f.servers.Tag != "!!null" {
		return nil, nil, fmt.Errorf("%w: %q is not a mapping", ErrByHand, c.table)
	}
	return f, doc, nil
}

// member returns a mapping's key and value, nil when there is none.
func member(mapping *yaml.Node, key string) (name, value *yaml.Node) {
	if mapping == nil {
		return nil, nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i], mapping.Content[i+1]
		}
	}
	return nil, nil
}

// mergeYAML is Merge for YAML.
func (c Client) mergeYAML(data []byte, s Server) ([]byte, error) {
	f, doc, err := c.readYAML(data)
	if err != nil {
		return nil, err
	}
	servers, _ := doc[c.table].(map[string]any)
	old, there := servers[s.Name]
	if !there {
		if servers == nil {
			servers = map[string]any{}
			doc[c.table] = servers
		}
		servers[s.Name] = c.yamlEntry(s)
		if err := f.insert(s); err != nil {
			return nil, err
		}
		return f.same(doc, s.Name)
	}
	have, ok := old.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: %q is not a mapping; remove it, or choose another name", ErrTaken, s.Name)
	}
	u, err := c.update(have, s)
	if err != nil || !u.changes() {
		return data, err
	}
	_, entry := member(f.servers, s.Name)
	if err := f.update(entry, u); err != nil {
		return nil, err
	}
	return f.same(doc, s.Name)
}

// removeYAML is Remove for YAML.
func (c Client) removeYAML(data []byte, name string) ([]byte, error) {
	f, doc, err := c.readYAML(data)
	if err != nil {
		return nil, err
	}
	servers, _ := doc[c.table].(map[string]any)
	old, there := servers[name]
	if !there {
		return data, nil
	}
	if err := c.ours(old, name); err != nil {
		return nil, err
	}
	key, _ := member(f.servers, name)
	if delete(servers, name); len(servers) == 0 {
		delete(doc, c.table)
		key = f.name
	}
	f.text = splice(f.text, f.block(key), "")
	return f.same(doc, name)
}

// same returns the text when it means doc.
func (f *yamlFile) same(doc map[string]any, name string) ([]byte, error) {
	got := map[string]any{}
	if err := yaml.Unmarshal(f.text, &got); err != nil || !reflect.DeepEqual(got, doc) {
		return nil, errors.Join(fmt.Errorf("%w: edit %s in %s by hand", ErrByHand, name, f.client.table), err)
	}
	return f.text, nil
}

// yamlEntry returns a server's entry as it is read from YAML.
func (c Client) yamlEntry(s Server) map[string]any {
	out := map[string]any{}
	for _, f := range c.fields(s) {
		var v any
		if err := yaml.Unmarshal([]byte(f.json), &v); err != nil {
			panic(err) // JSON is YAML
		}
		out[f.name] = v
	}
	return out
}

// insert adds the server, before those that are there: a comment above them stays with
// the first of them.
func (f *yamlFile) insert(s Server) error {
	nl, indent := newline(f.text), defaultIndent
	if f.name == nil {
		if len(f.text) > 0 && f.text[len(f.text)-1] != '\n' {
			f.text = append(bytes.Clone(f.text), nl...)
		}
		end := len(f.text)
		f.text = splice(f.text, span{end, end}, f.client.table+":"+nl+f.client.yamlLines(s, indent, nl))
		return nil
	}
	switch {
	case f.servers.Tag == "!!null" && f.servers.Value == "":
	case f.servers.Style&yaml.FlowStyle != 0 && len(f.servers.Content) == 0: // {}
		at := f.offset(f.servers)
		colon := len(bytes.TrimRight(f.text[:at], " "))
		f.text = splice(f.text, span{colon, at + bytes.IndexByte(f.text[at:], '}') + 1}, "")
	case f.servers.Style&yaml.FlowStyle == 0 && len(f.servers.Content) > 0:
		indent = strings.Repeat(" ", f.servers.Content[0].Column-1)
	default:
		return fmt.Errorf("%w: %q is written on one line", ErrByHand, f.client.table)
	}
	at := f.offset(f.name)
	if next := bytes.IndexByte(f.text[at:], '\n'); next >= 0 {
		at += next + 1
	} else {
		f.text = append(bytes.Clone(f.text), nl...)
		at = len(f.text)
	}
	f.text = splice(f.text, span{at, at}, f.client.yamlLines(s, indent, nl))
	return nil
}

// yamlLines returns the server's lines.
func (c Client) yamlLines(s Server, indent, nl string) string {
	out := indent + s.Name + ":" + nl
	for _, f := range c.fields(s) {
		out += indent + indent + f.name + ": " + f.json + nl
	}
	return out
}

// update changes the server's entry.
func (f *yamlFile) update(entry *yaml.Node, u diff) error {
	_, command := member(entry, f.client.shape.command)
	_, args := member(entry, f.client.shape.args)
	// The last change comes first, so that the places of the others are right.
	type change struct {
		at    int
		apply func() error
	}
	var changes []change
	if u.command != "" {
		changes = append(changes, change{f.offset(command), func() error {
			at, err := f.scalar(command)
			f.text = splice(f.text, at, quote(u.command))
			return err
		}})
	}
	if !slices.Equal(u.args, u.want) {
		if args == nil || len(args.Content) == 0 {
			return fmt.Errorf("%w: make %s %s by hand", ErrByHand, f.client.shape.args, quoteList(u.want))
		}
		changes = append(changes, change{f.offset(args), func() error { return f.relist(args, u) }})
	}
	slices.SortFunc(changes, func(a, b change) int { return b.at - a.at })
	for _, c := range changes {
		if err := c.apply(); err != nil {
			return err
		}
	}
	return nil
}

// relist changes the list of arguments. A list of lines is rewritten, with the
// words that stay as they are.
func (f *yamlFile) relist(args *yaml.Node, u diff) (err error) {
	var elements []span
	for _, e := range args.Content {
		at, err := f.scalar(e)
		if err != nil {
			return err
		}
		elements = append(elements, at)
	}
	last := elements[len(elements)-1].end
	if args.Style&yaml.FlowStyle != 0 {
		start := f.offset(args)
		f.text, err = relist(f.text, span{start, last + bytes.IndexByte(f.text[last:], ']') + 1}, elements, u)
		return err
	}
	start := lineStart(f.text, elements[0].start)
	list := wholeLines(f.text, span{start, last})
	if list.end == last && last < len(f.text) || bytes.Contains(f.text[start:last], []byte("#")) {
		return fmt.Errorf("%w: the list of arguments may have comments; make it %s by hand", ErrByHand, quoteList(u.want))
	}
	prefix := string(f.text[start:elements[0].start]) // the indent and the dash
	var lines strings.Builder
	for _, w := range u.want {
		word := quote(w)
		if i := slices.Index(u.args, w); i >= 0 {
			word = string(f.text[elements[i].start:elements[i].end])
		}
		lines.WriteString(prefix + word + newline(f.text))
	}
	f.text = splice(f.text, list, lines.String())
	return nil
}

// offset returns where a node begins.
func (f *yamlFile) offset(n *yaml.Node) int {
	at := 0
	for range n.Line - 1 {
		at += bytes.IndexByte(f.text[at:], '\n') + 1
	}
	return at + len(string([]rune(string(f.text[at:]))[:n.Column-1]))
}

// scalar returns where a string on one line stands.
func (f *yamlFile) scalar(n *yaml.Node) (span, error) {
	at := f.offset(n)
	rest := f.text[at:]
	if bytes.HasPrefix(rest, []byte(n.Value)) && n.Style == 0 && n.Kind == yaml.ScalarNode {
		return span{at, at + len(n.Value)}, nil
	}
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
		for end := 1; end < len(rest) && rest[end] != '\n'; end++ {
			switch {
			case rest[end] == '\\' && rest[0] == '"':
				end++
			case rest[end] == rest[0] && end+1 < len(rest) && rest[end+1] == '\'' && rest[0] == '\'':
				end++
			case rest[end] == rest[0]:
				return span{at, at + end + 1}, nil
			}
		}
	}
	return span{}, fmt.Errorf("%w: line %d is written in a way that is not edited here", ErrByHand, n.Line)
}

// block returns the lines of a key and its value: those that are indented deeper. Blank
// lines and comments behind them stay.
func (f *yamlFile) block(key *yaml.Node) span {
	start := lineStart(f.text, f.offset(key))
	end := start
	for at := start; at < len(f.text); {
		next := at + len(f.text[at:])
		if n := bytes.IndexByte(f.text[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		line := f.text[at:next]
		trimmed := bytes.TrimSpace(line)
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		if at > start && len(trimmed) > 0 && trimmed[0] != '#' && indent < key.Column {
			break
		}
		if at == start || len(trimmed) > 0 && indent >= key.Column {
			end = next
		}
		at = next
	}
	return span{start, end}
}
