package clientconfig

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A yamlFile is a YAML file.
type yamlFile struct{ *file }

// decode parses the file.
func (f yamlFile) decode() (map[string]any, error) {
	doc := map[string]any{}
	if err := yaml.Unmarshal(f.text, &doc); err != nil {
		return nil, fmt.Errorf("%w YAML: %w", ErrSyntax, err)
	}
	return doc, nil
}

// servers returns the mapping of the servers and its key, or nil if the file has none.
func (f yamlFile) servers() (key, servers *yaml.Node) {
	var doc yaml.Node
	if err := yaml.Unmarshal(f.text, &doc); err != nil || len(doc.Content) == 0 {
		return nil, nil
	}
	return member(doc.Content[0], f.client.table)
}

// member returns a key of a mapping and its value, or nil if there is none.
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

// insert adds the server before the others and the comments above them, so that each comment stays
// above its server.
func (f yamlFile) insert(s Server) error {
	key, servers := f.servers()
	nl, indent := newline(f.text), defaultIndent
	at := span{len(f.text), len(f.text)}
	head := f.client.table + ":" + nl
	switch {
	case key == nil:
		if len(f.text) > 0 && f.text[len(f.text)-1] != '\n' {
			head = nl + head
		}
	case len(servers.Content) == 0: // null or {}
		at = f.block(key)
	case servers.Style&yaml.FlowStyle != 0:
		return fmt.Errorf("%w: %q is written on one line", ErrNotEditable, f.client.table)
	default:
		indent = strings.Repeat(" ", servers.Content[0].Column-1)
		at.start = f.block(key).start
		at.end = at.start + bytes.IndexByte(f.text[at.start:], '\n') + 1
		head = string(f.text[at.start:at.end])
	}
	lines := indent + serverName + ":" + nl
	for _, field := range f.client.fields(s) {
		lines += indent + indent + field.name + ": " + field.json + nl
	}
	f.text = splice(f.text, at, head+lines)
	return nil
}

// set replaces the lines of a field.
func (f yamlFile) set(to field) error {
	_, servers := f.servers()
	_, entry := member(servers, serverName)
	key, value := member(entry, to.name)
	if key == nil || entry.Style&yaml.FlowStyle != 0 {
		return f.notEditable(to)
	}
	line := strings.Repeat(" ", key.Column-1) + to.name + ": " + to.json
	if value.LineComment != "" {
		line += " " + value.LineComment
	}
	f.text = splice(f.text, f.block(key), line+newline(f.text))
	return nil
}

// cut removes the server or, if last, the mapping of servers.
func (f yamlFile) cut(last bool) error {
	key, servers := f.servers()
	if !last {
		key, _ = member(servers, serverName)
	}
	if key == nil {
		return nil // an alias provides the entry; editServers returns an error
	}
	f.text = splice(f.text, f.block(key), "")
	return nil
}

// block returns the span of the lines of a key and its value, without the blank lines and comments
// after them. Lines of the value are indented more deeply than the key, except list elements.
func (f yamlFile) block(key *yaml.Node) (block span) {
	at, number := 0, 0
	for line := range bytes.Lines(f.text) {
		number++
		start := at
		at += len(line)
		trimmed := bytes.TrimLeft(line, " ")
		indent := len(line) - len(trimmed)
		switch blank := len(bytes.TrimSpace(line)) == 0; {
		case number == key.Line:
			block = span{start, at}
		case number < key.Line || blank:
		case indent >= key.Column, indent == key.Column-1 && trimmed[0] == '-':
			block.end = at
		case trimmed[0] != '#':
			return block
		}
	}
	return block
}
