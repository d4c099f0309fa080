package clientconfig

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A yamlFile is a YAML file.
type yamlFile struct{ *file }

func (yamlFile) object() string { return "a mapping" }

// decode parses the file.
func (f yamlFile) decode() (map[string]any, error) {
	doc := map[string]any{}
	if err := yaml.Unmarshal(f.text, &doc); err != nil {
		return nil, fmt.Errorf("%w YAML: %w", ErrSyntax, err)
	}
	_, _, err := f.servers()
	return doc, err
}

// servers returns the mapping of the servers and its key, or nil if there is none.
func (f yamlFile) servers() (name, servers *yaml.Node, err error) {
	var node yaml.Node
	if err := yaml.Unmarshal(f.text, &node); err != nil {
		return nil, nil, fmt.Errorf("%w YAML: %w", ErrSyntax, err)
	}
	if len(node.Content) == 0 {
		return nil, nil, nil
	}
	root := node.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return nil, nil, fmt.Errorf("%w YAML: the file is not a mapping with a line for each key", ErrSyntax)
	}
	name, servers = member(root, f.client.table)
	if servers != nil && servers.Kind != yaml.MappingNode && servers.Tag != "!!null" {
		return nil, nil, fmt.Errorf("%w: %q is not a mapping", ErrByHand, f.client.table)
	}
	return name, servers, nil
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

// insert adds the server before the others, so that a comment above the first one stays with
// it.
func (f yamlFile) insert(s Server) error {
	name, servers, err := f.servers()
	if err != nil {
		return err
	}
	nl, indent := newline(f.text), defaultIndent
	if name == nil {
		if len(f.text) > 0 && f.text[len(f.text)-1] != '\n' {
			f.text = append(bytes.Clone(f.text), nl...)
		}
		end := len(f.text)
		f.text = splice(f.text, span{end, end}, f.client.table+":"+nl+f.client.yamlLines(s, indent, nl))
		return nil
	}
	switch {
	case servers.Tag == "!!null" && servers.Value == "":
	case servers.Style&yaml.FlowStyle != 0 && len(servers.Content) == 0: // {}
		at := f.offset(servers)
		colon := len(bytes.TrimRight(f.text[:at], " "))
		f.text = splice(f.text, span{colon, at + bytes.IndexByte(f.text[at:], '}') + 1}, "")
	case servers.Style&yaml.FlowStyle == 0 && len(servers.Content) > 0:
		indent = strings.Repeat(" ", servers.Content[0].Column-1)
	default:
		return fmt.Errorf("%w: %q is written on one line", ErrByHand, f.client.table)
	}
	at := f.offset(name)
	if next := bytes.IndexByte(f.text[at:], '\n'); next >= 0 {
		at += next + 1
	} else {
		f.text = append(bytes.Clone(f.text), nl...)
		at = len(f.text)
	}
	f.text = splice(f.text, span{at, at}, f.client.yamlLines(s, indent, nl))
	return nil
}

// yamlLines returns the lines of the server's entry.
func (c Client) yamlLines(s Server, indent, nl string) string {
	out := indent + s.Name + ":" + nl
	for _, f := range c.fields(s) {
		out += indent + indent + f.name + ": " + f.json + nl
	}
	return out
}

// update rewrites the server's entry, keeping its other fields and comments.
func (f yamlFile) update(u diff) error {
	_, servers, err := f.servers()
	if err != nil {
		return err
	}
	name, entry := member(servers, f.name)
	_, command := member(entry, f.client.shape.command)
	argsName, args := member(entry, f.client.shape.args)
	listed := args != nil && args.Kind == yaml.SequenceNode
	if command == nil || !listed && len(u.want) > 0 {
		return fmt.Errorf("%w: make %s %s by hand", ErrByHand, f.client.shape.args, quoteList(u.want))
	}
	if u.command != "" {
		command.SetString(u.command)
	}
	if listed {
		old := args.Content
		args.Content = nil
		for _, w := range u.want {
			word := &yaml.Node{}
			if i := slices.Index(u.args, w); i >= 0 {
				word = old[i]
			} else {
				word.SetString(w)
			}
			args.Content = append(args.Content, word)
		}
	}
	block, indent := f.block(name), strings.Repeat(" ", name.Column-1)
	name.HeadComment, name.FootComment = "", "" // these comments stay in the text outside the block
	var out, lines strings.Builder
	e := yaml.NewEncoder(&out)
	if step := entry.Content[0].Column - name.Column; step > 0 && entry.Style&yaml.FlowStyle == 0 {
		e.SetIndent(step)
	}
	if listed && args.Column == argsName.Column {
		e.CompactSeqIndent()
	}
	if err := e.Encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{name, entry}}); err != nil {
		return err
	}
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			line = indent + line
		}
		lines.WriteString(line + newline(f.text))
	}
	f.text = splice(f.text, block, lines.String())
	return nil
}

// offset returns the offset of a node.
func (f yamlFile) offset(n *yaml.Node) int {
	at := 0
	for range n.Line - 1 {
		at += bytes.IndexByte(f.text[at:], '\n') + 1
	}
	return at + len(string([]rune(string(f.text[at:]))[:n.Column-1]))
}

// cut removes the server, or with last the mapping of servers.
func (f yamlFile) cut(last bool) error {
	key, servers, err := f.servers()
	if err != nil {
		return err
	}
	if !last {
		key, _ = member(servers, f.name)
	}
	f.text = splice(f.text, f.block(key), "")
	return nil
}

// block returns the lines of a key and of its value, which is indented more deeply, without
// the blank lines and comments after them.
func (f yamlFile) block(key *yaml.Node) span {
	at := lineStart(f.text, f.offset(key))
	block := span{at, at}
	for line := range bytes.Lines(f.text[at:]) {
		trimmed := bytes.TrimSpace(line)
		inside := at == block.start || len(trimmed) > 0 && len(line)-len(bytes.TrimLeft(line, " ")) >= key.Column
		if !inside && len(trimmed) > 0 && trimmed[0] != '#' {
			break
		}
		at += len(line)
		if inside {
			block.end = at
		}
	}
	return block
}
