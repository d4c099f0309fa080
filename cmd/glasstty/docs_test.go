package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"

	"github.com/glasstty/glasstty/internal/cmdline"
	"github.com/glasstty/glasstty/mcpserver"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs")

// root is the repository's root directory, relative to this package.
const root = "../.."

// TestDocs checks that the generated parts of the documentation match the tools and
// settings of the command.
func TestDocs(t *testing.T) {
	for file, want := range map[string]string{
		"docs/tools.md":    toolsDoc(),
		"docs/settings.md": settingsDoc(program()),
	} {
		path := filepath.Join(root, file)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, ok := strings.Cut(string(data), " -update -->\n")
		_, tail, ok2 := strings.Cut(rest, "<!-- end -->")
		if !ok || !ok2 {
			t.Fatalf("%s has no generated part", file)
		}
		text := head + " -update -->\n" + want + "<!-- end -->" + tail
		switch {
		case text == string(data):
		case *update:
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is out of date: go test ./cmd/glasstty -run TestDocs -update", file)
		}
	}
}

// toolsDoc returns a section for each tool.
func toolsDoc() string {
	var b strings.Builder
	for _, tool := range mcpserver.Tools() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", tool.Name, strings.TrimSpace(tool.Description))
		args := toolArgs(tool.InputSchema)
		if len(args) == 0 {
			continue
		}
		b.WriteString("\n| argument | type | default | meaning |\n|---|---|---|---|\n")
		for _, a := range withFields(args) {
			kind := a.Type
			if a.Enum != nil {
				kind = "`" + strings.Join(a.Enum, "` `") + "`"
			}
			byDefault := a.defaultText()
			if a.Required {
				byDefault = "required"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", a.Name, kind, byDefault, cell(a.Description))
		}
	}
	return b.String()
}

// withFields returns args, each list of objects followed by the fields of its objects.
func withFields(args []toolArg) (all []toolArg) {
	for _, a := range args {
		all = append(all, a)
		if a.Items == nil {
			continue
		}
		for _, field := range toolArgs(a.Items) {
			field.Name = a.Name + "[]." + field.Name
			all = append(all, field)
		}
	}
	return all
}

// settingsDoc returns a table for each group of a server's flags: those that mcp and serve
// share, and those that only one has.
func settingsDoc(c *cmdline.Command) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, name := range []string{"mcp", "serve", "snap"} {
		group := "\x00"
		for _, f := range c.Find(name).Flags {
			if f.Env == "" || seen[f.Env] {
				continue
			}
			seen[f.Env] = true
			if f.Group != group {
				group = f.Group
				heading := group
				if heading == "" {
					heading = map[string]string{"mcp": "MCP server", "serve": "serve only", "snap": "snap only"}[name]
				}
				fmt.Fprintf(&b, "\n## %s\n\n", heading)
				if name == "serve" && group != "" {
					b.WriteString("These are for `glasstty serve`.\n\n")
				}
				b.WriteString("| flag | variable | meaning |\n|---|---|---|\n")
			}
			title := "--" + f.Name
			if f.Value != "" {
				title += " " + f.Value
			}
			help := cell(f.Help)
			if name == "mcp" && !slices.ContainsFunc(c.Find("serve").Flags, func(other cmdline.Param) bool { return other.Name == f.Name }) {
				help += " Only for glasstty mcp."
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", title, f.Env, help)
		}
	}
	return b.String()
}

// cell escapes a text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// pages returns the paths of the documentation's pages, relative to the root.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "SECURITY.md", "CONTRIBUTING.md"}
	more, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(more) == 0 {
		t.Fatalf("no pages in docs: %v", err)
	}
	for _, path := range more {
		out = append(out, filepath.Join("docs", filepath.Base(path)))
	}
	return out
}

// readPage returns a page's text.
func readPage(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	indented = regexp.MustCompile(`(?m)^    (?:go|glasstty) .*$`)
	fence    = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```")
)

// TestLinks checks that every link to a file or heading of the repository has a target.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			info, err := os.Stat(filepath.Join(root, path))
			if err != nil {
				t.Errorf("%s: broken link %s", page, m[1])
				continue
			}
			if anchor != "" && !info.IsDir() && !slices.Contains(anchors(readPage(t, path)), anchor) {
				t.Errorf("%s: %s has no heading %q", page, path, anchor)
			}
		}
	}
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(text string) (out []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(strings.ReplaceAll(m[1], "`", ""))
		name = regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(name, "")
		out = append(out, strings.ReplaceAll(name, " ", "-"))
	}
	return out
}

// TestCommands parses every command line of the documentation as a shell does, and checks
// that the arguments of glasstty and go are valid.
func TestCommands(t *testing.T) {
	n := 0
	for _, page := range pages(t) {
		for _, script := range scripts(readPage(t, page)) {
			file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), page)
			if err != nil {
				t.Errorf("%s: %v in\n%s", page, err, script)
				continue
			}
			syntax.Walk(file, func(node syntax.Node) bool {
				if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
					n++
					tryCommand(t, page, words(call))
				}
				return true
			})
		}
	}
	if n < 50 {
		t.Errorf("found %d commands, want at least 50", n)
	}
}

// scripts returns the commands on a page: blocks fenced as sh, and indented lines that
// begin with go or glasstty.
func scripts(text string) (out []string) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		if m[1] == "sh" {
			out = append(out, m[2])
		}
	}
	return append(out, indented.FindAllString(text, -1)...)
}

// words returns a command's words without quotes.
func words(call *syntax.CallExpr) (out []string) {
	for _, w := range call.Args {
		var b strings.Builder
		for _, part := range w.Parts {
			switch part := part.(type) {
			case *syntax.Lit:
				b.WriteString(part.Value)
			case *syntax.SglQuoted:
				b.WriteString(part.Value)
			case *syntax.DblQuoted:
				for _, p := range part.Parts {
					if lit, ok := p.(*syntax.Lit); ok {
						b.WriteString(lit.Value)
					}
				}
			default:
				b.WriteString("x")
			}
		}
		out = append(out, b.String())
	}
	return out
}

// TestManifests checks the YAML on the fleet page: the arguments and variables of glasstty
// exist, and every secret and volume that is used is defined.
func TestManifests(t *testing.T) {
	const page = "docs/fleet.md"
	variables := map[string]bool{}
	root := program()
	for _, f := range root.Find("serve").Flags {
		variables[f.Env] = true
	}
	m := manifest{t: t, page: page, variables: variables, defined: map[string]bool{}}
	n := 0
	for _, block := range fence.FindAllStringSubmatch(readPage(t, page), -1) {
		if block[1] != "yaml" {
			continue
		}
		n++
		var all map[string]any
		if err := yaml.Unmarshal([]byte(block[2]), &all); err != nil {
			t.Errorf("%s: %v in\n%s", page, err, block[2])
		}
		m.used = nil
		m.look(all)
		for _, name := range m.used {
			if !m.defined[name] {
				t.Errorf("%s: %q is used but not defined", page, name)
			}
		}
	}
	if n != 2 || m.commands < 3 || m.seen < 8 {
		t.Errorf("%s has %d YAML blocks, %d commands and %d variables of glasstty, want 2, at least 3 and at least 8", page, n, m.commands, m.seen)
	}
}

// A manifest collects what TestManifests finds in YAML.
type manifest struct {
	t              *testing.T
	page           string
	variables      map[string]bool // the variables of glasstty serve
	commands, seen int             // numbers of commands and of variables found
	defined        map[string]bool // names of secrets and volumes
	used           []string
}

// look checks a value and everything in it.
func (m *manifest) look(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			m.field(key, value)
			m.look(value)
		}
	case []any:
		for _, value := range v {
			m.look(value)
		}
	}
}

// field checks one field of an object.
func (m *manifest) field(key string, value any) {
	list, _ := value.([]any)
	words := make([]string, len(list))
	for i, w := range list {
		words[i], _ = w.(string)
	}
	object, _ := value.(map[string]any)
	switch {
	case strings.HasPrefix(key, "GLASSTTY_"):
		m.variable(key)
	case key == "name":
		if name, _ := value.(string); strings.HasPrefix(name, "GLASSTTY_") {
			m.variable(name)
		}
	case key == "source":
		m.used = append(m.used, fmt.Sprint(value))
	case (key == "command" || key == "args") && len(words) > 0 && words[0] == "serve":
		m.commands++
		tryExample(m.t, m.page, words)
	case key == "command" && len(words) == 3 && words[1] == "-c" && words[0] == "sh":
		m.commands++
		for word := range strings.SplitSeq(words[2], ";") {
			tryExample(m.t, m.page, strings.Fields(strings.NewReplacer(`"`, "", "glasstty ", "", "$HOSTNAME", "build1").Replace(word)))
		}
	case key == "secrets" && object != nil:
		for name := range object {
			m.defined[name] = true
		}
	case key == "volumeMounts":
		for _, mount := range list {
			m.used = append(m.used, fmt.Sprint(mount.(map[string]any)["name"]))
		}
	case key == "volumes":
		for _, volume := range list {
			if o, ok := volume.(map[string]any); ok {
				m.defined[fmt.Sprint(o["name"])] = true
			}
		}
	}
}

// variable checks that glasstty serve has an environment variable.
func (m *manifest) variable(name string) {
	m.seen++
	if !m.variables[name] {
		m.t.Errorf("%s: glasstty serve has no variable %s", m.page, name)
	}
}

// others lists programs of other projects that the documentation uses.
var others = []string{
	"apt", "asciinema", "brew", "claude", "cosign", "curl", "docker", "dpkg", "export", "git", "grep", "mcp-inspector", "nats-server", "node",
	"npm", "npx", "printf", "source", "sudo", "tar", "mkdir", "chmod", "cd", "systemctl", "systemd-run", ".ci/run",
}

// tryCommand checks one command line without running it.
func tryCommand(t *testing.T, page string, words []string) {
	t.Helper()
	line := strings.Join(words, " ")
	switch name := filepath.Base(words[0]); {
	case name == "glasstty":
		tryExample(t, page, words[1:])
	case name == "go" && len(words) > 2 && words[1] == "run" && words[2] == "./cmd/glasstty":
		tryExample(t, page, words[3:])
	case name == "go" && len(words) > 2 && words[1] == "run", name == "go" && words[1] == "build":
		for _, w := range words[2:] {
			if info, err := os.Stat(filepath.Join(root, w)); strings.HasPrefix(w, "./") && (err != nil || !info.IsDir()) {
				t.Errorf("%s: %s: no package %s", page, line, w)
			}
		}
	case name == "go" && words[1] == "test":
		tryTest(t, page, words[2:])
	case name == "go":
	case words[0] == "./packaging/build":
	default:
		if !slices.Contains(others, words[0]) {
			t.Errorf("%s: unknown program in %q", page, line)
		}
	}
}

// tryTest checks that each package of a go test command has a test that matches its -run,
// -bench or -fuzz.
func tryTest(t *testing.T, page string, args []string) {
	t.Helper()
	var dirs []string
	names := "Test"
	pattern := ""
	for i, a := range args {
		switch {
		case strings.HasPrefix(a, "./"):
			dirs = append(dirs, strings.TrimSuffix(a, "/..."))
		case (a == "-run" || a == "-bench" || a == "-fuzz") && i+1 < len(args) && args[i+1] != "^$":
			pattern = args[i+1]
			names = map[string]string{"-run": "Test", "-bench": "Benchmark", "-fuzz": "Fuzz"}[a]
		}
	}
	if len(dirs) == 0 {
		t.Errorf("%s: go test %s names no package", page, strings.Join(args, " "))
	}
	for _, dir := range dirs {
		if !hasTest(t, dir, names, pattern) {
			t.Errorf("%s: go test %s: no matching %s in %s", page, strings.Join(args, " "), names, dir)
		}
	}
}

// hasTest reports whether a package, or one below it, has a test whose name matches.
func hasTest(t *testing.T, dir, kind, pattern string) bool {
	t.Helper()
	pattern, _, _ = strings.Cut(pattern, "/")
	re := regexp.MustCompile(pattern)
	found := false
	err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || found {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (`+kind+`\w*)\(`).FindAllSubmatch(text, -1) {
			found = found || re.Match(m[1])
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return found
}

// TestFrontDoor checks that README.md stays short.
func TestFrontDoor(t *testing.T) {
	if n := len(readPage(t, "README.md")); n > 8<<10 {
		t.Errorf("README.md has %d bytes, want at most %d", n, 8<<10)
	}
}
