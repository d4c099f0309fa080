package abuse

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/mask"
)

// canary is the secret that must not appear anywhere. The literal is split so that
// secret scanners do not report it. The first four characters are a public prefix.
const canary = "ghp_" + "Q7w3E9r1T5y8U2i6O0pA4sD7fG3hJ9kL1zX5"

// otherCanary is another secret of the same form.
const otherCanary = "ghp_" + "Z7w3E9r1T5y8U2i6O0pA4sD7fG3hJ9kL1zY5"

// ways maps a name to output that shows the secret on a screen of 40 columns. A % marks
// where the output is split in two.
var ways = map[string]string{
	"plain":            "the token is " + canary[:20] + "%" + canary[20:] + " ok\r\n",
	"wrapped":          "export MY_GITHUB_TOKEN=" + canary[:25] + "%" + canary[25:] + "; done\r\n",
	"coloured":         "\x1b[1m" + strings.Join(strings.Split(canary[:18], ""), "\x1b[31m") + "%\x1b[32m" + strings.Join(strings.Split(canary[18:], ""), "\x1b[33m") + "\x1b[m\r\n",
	"overwritten":      "progress 10%\rtoken " + canary[:18] + "%" + canary[18:] + "\x1b[K\r\n",
	"taken back":       canary[:15] + "zz\b\b%" + canary[15:] + " \r\n",
	"other screen":     "\x1b[?1049h\x1b[2J\x1b[3;1Hkey=" + canary[:18] + "%" + canary[18:] + "\x1b[9;1H",
	"own wrap":         "\x1b[?1049h\x1b[2J\x1b[3;1Hsome words before it" + canary[:20] + "%\x1b[4;1H" + canary[20:] + " after\x1b[9;1H",
	"redrawn":          "x\r\n\x1b[5;2H" + canary + "\x1b[5;2H\x1b[K%\x1b[7;3H" + canary + "\r\n",
	"title":            "\x1b]2;at " + canary + "\x07%x\r\n",
	"link":             "\x1b]8;;https://example.com/?k=" + canary + "\x1b\\here\x1b]8;;\x1b\\%x\r\n",
	"clipboard":        "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(canary)) + "\x07%x\r\n",
	"notification":     "\x1b]9;see " + canary + "\x07%x\r\n",
	"other message":    "\x1b]777;notify;a;" + canary + "\x07%x\r\n",
	"directory":        "\x1b]7;file:///tmp/" + canary + "\x07%x\r\n",
	"scrolled away":    "k " + canary + "\r\n" + strings.Repeat("line\r\n", 30) + "%x\r\n",
	"above the screen": "12345678901234567890 " + canary[:19] + "%" + canary[19:] + strings.Repeat("\r\nx", 11),
	"question":         "Use " + canary[:20] + "%" + canary[20:] + " [y/N] ",
}

// seen collects everything that a client is shown.
type seen struct {
	s    *speaker
	all  []string
	from []string
}

// take adds a tool result and returns it.
func (c *seen) take(from string, res *mcp.CallToolResult) *mcp.CallToolResult {
	c.s.Helper()
	c.add(from, text(res))
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		c.s.Fatal(err)
	}
	c.add(from+" data", string(data))
	for _, q := range res.InputRequests {
		c.add(from+" question", fmt.Sprintf("%+v", q))
	}
	c.add(from+" state", res.RequestState)
	return res
}

// add adds a text and where it came from.
func (c *seen) add(from, text string) {
	c.all = append(c.all, text)
	c.from = append(c.from, from)
}

var (
	tag    = regexp.MustCompile(`<[^<>]*>`)
	escape = regexp.MustCompile(`(?:\x1b|\\u001b)(?:\[[0-9;:?]*[a-zA-Z]|\\|\])`)
	runs   = regexp.MustCompile(`"text":"((?:[^"\\]|\\.)*)"`)
	other  = regexp.MustCompile(`[^A-Za-z0-9_]+|\\[nrt]`)
)

// bare returns several readings of a text: unchanged; without escape sequences and
// blanks; also without tags; and the joined text of its runs.
func bare(text string) []string {
	var joined strings.Builder
	for _, m := range runs.FindAllStringSubmatch(text, -1) {
		joined.WriteString(m[1])
	}
	plain := escape.ReplaceAllString(text, "")
	return []string{text, other.ReplaceAllString(plain, ""), other.ReplaceAllString(tag.ReplaceAllString(plain, ""), ""), joined.String()}
}

// leaks returns the first ten consecutive characters of the secret, without its public
// prefix, that appear in text, or "" if there are none.
func leaks(text, secret string) string {
	for _, reading := range bare(text) {
		for i := 4; i+10 <= len(secret); i++ {
			if part := secret[i : i+10]; strings.Contains(reading, part) {
				return part
			}
		}
	}
	return ""
}

// check fails the test if the secret appears in what was collected.
func (c *seen) check(secret string) {
	c.s.Helper()
	c.s.mu.Lock()
	c.add("progress and log", c.s.told.String())
	c.s.mu.Unlock()
	found := 0
	for i, text := range c.all {
		if part := leaks(text, secret); part != "" {
			c.s.Errorf("%s shows %q: %.600q", c.from[i], part, text)
			if found++; found == 2 {
				return
			}
		}
	}
	// A reader that receives the pieces one by one can join them, so check the joined
	// text too.
	if part := leaks(strings.Join(c.all, ""), secret); part != "" && !c.s.Failed() {
		c.s.Errorf("the answers together show %q", part)
	}
}

// look uses every tool, format, resource and argument that shows something, and
// collects the answers.
func (c *seen) look(reader int) {
	s := c.s
	s.Helper()
	get := func(tool string, args map[string]any) *mcp.CallToolResult {
		return c.take(fmt.Sprint(tool, " ", args), s.call(tool, args))
	}
	for _, format := range []string{"text", "ansi", "html", "svg", "json", "png"} {
		get("snapshot", map[string]any{"format": format, "scrollback": -1})
		get("snapshot", map[string]any{"format": format, "reveal": true, "cursor": true})
	}
	get("snapshot", map[string]any{"since": 0})
	get("snapshot", map[string]any{"region": map[string]any{"row": 2, "col": 5, "rows": 8, "cols": 30}})
	for _, at := range []string{"0", "1", "2", "3", "5", "m1", "m2", "m3", "+0", "+1000"} {
		get("snapshot", map[string]any{"at": at, "scrollback": -1, "format": "ansi"})
	}
	for _, args := range []map[string]any{
		{"from_line": 0}, {"search": "."}, {"search": canary[4:12], "context": 20}, {"search": "Q7.*zX5|ghp_"},
		{"reader_id": reader, "strip_ansi": false, "until": "none"}, {"from_line": 0, "compact": true}, {"from_line": 0, "max_output_chars": 30},
	} {
		get("read_output", args)
	}
	for _, view := range []string{"output", "screen", "both", "diff"} {
		get("wait_for", map[string]any{"view": view, "until": "none", "explain": true})
	}
	get("wait_for", map[string]any{"pattern": `ghp_\w{20,}`, "timeout": 0.1, "explain": true})
	get("wait_for", map[string]any{"pattern": canary[4:24], "timeout": 0.1, "explain": true})
	get("list_sessions", map[string]any{})
	get("get_session_info", map[string]any{})
	var ids []string
	data, _ := json.Marshal(get("list_messages", map[string]any{}).StructuredContent)
	for _, m := range regexp.MustCompile(`"id":"(m\d+)"`).FindAllSubmatch(data, -1) {
		ids = append(ids, string(m[1]))
	}
	get("get_message", map[string]any{"message_ids": ids})
	resources, err := s.client.ListResources(s.Context(), nil)
	if err != nil {
		s.Fatal(err)
	}
	listed, _ := json.Marshal(resources)
	c.add("resources/list", string(listed))
	for _, kind := range []string{"history", "screen", "recording"} {
		uri := "cli://" + s.session + "/" + kind
		res, err := s.client.ReadResource(s.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			s.Fatal(err)
		}
		c.add(uri, res.Contents[0].Text)
		c.add(uri+" as output", output(res.Contents[0].Text))
	}
}

// output returns all output events of an asciicast as one text.
func output(cast string) string {
	var b strings.Builder
	for line := range strings.Lines(cast) {
		var event []any
		if json.Unmarshal([]byte(line), &event) == nil && len(event) == 3 && event[1] == "o" {
			fmt.Fprint(&b, event[2])
		}
	}
	return b.String()
}

func redacting() session.Options { return session.Options{Mask: mask.New()} }

// TestSecretIsNowhere checks that a secret, printed in every way, whole and in two
// pieces, appears in nothing that a client is shown.
func TestSecretIsNowhere(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		for _, cut := range []bool{false, true} {
			if cut && name == "taken back" {
				continue // in pieces, two characters after the cursor change how the secret ends
			}
			t.Run(fmt.Sprintf("%s, in pieces %v", name, cut), func(t *testing.T) {
				t.Parallel()
				s := newSpeaker(t, redacting())
				c := &seen{s: s}
				reader := int(c.take("register_reader", s.call("register_reader", map[string]any{})).StructuredContent.(map[string]any)["reader_id"].(float64))
				pieces := strings.SplitN(ways[name], "%", strings.Count(ways[name], "%")+1)
				if name == "overwritten" {
					pieces = []string{pieces[0] + "%" + pieces[1], pieces[2]}
				}
				if !cut {
					pieces = []string{strings.Join(pieces, "")}
				}
				for _, p := range pieces {
					c.take("send_and_read", s.say(p, map[string]any{"explain": true}))
					c.look(reader)
				}
				c.check(canary)
			})
		}
	}
}

// TestSecretIsSeenWithoutRedaction checks that without redaction the secret is found,
// that is, that TestSecretIsNowhere can fail.
func TestSecretIsSeenWithoutRedaction(t *testing.T) {
	s := newSpeaker(t, session.Options{})
	if res := s.say(strings.Replace(ways["plain"], "%", "", 1), nil); leaks(text(res), canary) == "" {
		t.Errorf("the secret is not in the answer without redaction: %q", text(res))
	}
}

// TestSecretInPictures checks that pictures of two different secrets are equal, so
// nothing of the secret is in them.
func TestSecretInPictures(t *testing.T) {
	s := newSpeaker(t, redacting())
	picture := func(secret string) string {
		s.say("\x1b[2J\x1b[H"+secret+"\x1b[10;1H", nil)
		for _, c := range s.call("snapshot", map[string]any{"format": "png"}).Content {
			if i, ok := c.(*mcp.ImageContent); ok {
				return string(i.Data)
			}
		}
		return ""
	}
	one, two, none := picture(canary), picture(otherCanary), picture("no secret")
	if one != two || one == none || one == "" {
		t.Errorf("pictures have %d, %d and %d bytes; want the first two equal and the last one different", len(one), len(two), len(none))
	}
}

// TestColumnsStay checks that redaction keeps the columns of the screen.
func TestColumnsStay(t *testing.T) {
	s := newSpeaker(t, redacting())
	s.say("\x1b[2J\x1b[H日本 "+canary[:30]+"\x1b[3;10Hx\x1b[10;1H", nil)
	res := s.call("snapshot", map[string]any{})
	if want := "日本 " + strings.Repeat("*", 30) + "\n\n         x\n"; !strings.HasPrefix(text(res), want) {
		t.Errorf("got %q, want %q", text(res), want)
	}
}

// TestHarmlessBeginning checks that text that looks like the beginning of a secret is
// withheld at first, and shown once it turns out to be harmless.
func TestHarmlessBeginning(t *testing.T) {
	s := newSpeaker(t, redacting())
	first := text(s.say("see "+canary[:14], nil))
	second := text(s.say(", no token", nil))
	if strings.Contains(first, canary[4:14]) || !strings.Contains(second, canary[:14]+", no token") {
		t.Errorf("got %q, then %q", first, second)
	}
}

// TestTypedPassword checks that a password typed at a password prompt is redacted when
// a program prints it later.
func TestTypedPassword(t *testing.T) {
	t.Parallel()
	const password = "abcdTr0ub4dor and 3 horses"
	s := newSpeaker(t, redacting())
	c := &seen{s: s}
	reader := int(s.call("register_reader", map[string]any{}).StructuredContent.(map[string]any)["reader_id"].(float64))
	res := c.take("ask", s.call("send_and_read", map[string]any{"text": askPassword, "press_enter": true, "timeout": 20}))
	if got := res.StructuredContent.(map[string]any)["reason"]; got != "password" {
		t.Fatalf("the wait ended with %v: %s", got, text(res))
	}
	for _, part := range []string{password[:9] + "x\x7f", password[9:] + "\r"} {
		c.take("type", s.call("send_input", map[string]any{"text": part}))
	}
	c.take("typed", s.call("wait_for", map[string]any{"pattern": "taken", "timeout": 20}))
	c.take("plain", s.say("you typed "+password+"!\r\n", nil))
	c.take("in pieces", s.say("again "+password[:13], nil))
	c.take("in pieces", s.say(password[13:]+"!\r\n", nil))
	c.look(reader)
	// Another session of the server redacts it too.
	s.start()
	c.take("elsewhere", s.say("you typed "+password+"!\r\n", nil))
	c.look(0)
	c.check(strings.ReplaceAll(password, " ", ""))
	c.check(password)
}

// TestSecretInCalls checks that a secret in a client's own calls (commands, names,
// arguments) does not appear in answers and errors.
func TestSecretInCalls(t *testing.T) {
	t.Parallel()
	s := newSpeaker(t, redacting(), "--token", canary)
	c := &seen{s: s}
	c.take("name", s.call("start_process", map[string]any{"command": "cat", "name": canary, "until": "none"}))
	c.look(0)
	for tool, args := range map[string]map[string]any{
		"send_keys":                 {"keys": []string{canary}},
		"start_process":             {"command": "/nowhere/" + canary, "args": []string{canary}},
		"get_message":               {"message_ids": []string{canary}},
		"snapshot":                  {"at": canary},
		"read_output":               {"search": canary + "("},
		"get_session_info":          {"session_id": canary},
		"send_and_read":             {"text": canary, "timeout": 0.2},
		"wait_for":                  {"until": "exit", "timeout": 2, "explain": true},
		"unregister_reader":         {"reader_id": 7, "x-" + canary: 1},
		"confirm_dangerous_command": {"input": canary, "justification": canary, "timeout": 0.2},
	} {
		params := &mcp.CallToolParams{Name: tool, Arguments: args}
		if args["session_id"] == nil && tool != "start_process" {
			args["session_id"] = s.session
		}
		params.SetProgressToken("p-" + tool)
		res, err := s.client.CallTool(t.Context(), params)
		if err != nil {
			c.add(tool, err.Error())
			continue
		}
		c.take(tool, res)
	}
	for _, uri := range []string{"cli://" + canary + "/screen", "other:" + canary} {
		if _, err := s.client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil {
			c.add(uri, err.Error())
		}
	}
	c.look(0)
	c.check(canary)
}

// TestSecretInHeldInput checks that the danger check does not show a secret in the
// input that it holds, and that the held input can be confirmed.
func TestSecretInHeldInput(t *testing.T) {
	o := redacting()
	o.Danger = new(danger.Checker)
	r := newRigWith(t, "bash", o)
	const more = "echo password=hunter2-hunter2\n"
	line := more + "rm -rf / # " + canary
	res := r.call("send_and_read", map[string]any{"session_id": r.session, "text": line, "press_enter": true})
	if !res.IsError || !strings.Contains(text(res), "held by the danger check") {
		t.Fatalf("the input was not held: %s", text(res))
	}
	if strings.Contains(text(res), "hunter2") {
		t.Errorf("the answer shows a password: %s", text(res))
	}
	if part := leaks(text(res)+fmt.Sprintf("%+v %v", res.InputRequests, res.RequestState), canary); part != "" {
		t.Errorf("the answer shows %q: %s", part, text(res))
	}
	// The quoted text from the answer confirms the input, and the original input is
	// sent.
	quoted := regexp.MustCompile(`input exactly ("(?:[^"\\]|\\.)*")`).FindStringSubmatch(text(res))
	if quoted == nil {
		t.Fatalf("the answer quotes no input: %s", text(res))
	}
	named, err := strconv.Unquote(quoted[1])
	if want := "echo password=" + strings.Repeat("*", 15) + "\nrm -rf / # " + strings.Repeat("*", len(canary)); err != nil || named != want {
		t.Fatalf("the answer quotes %q, want %q", named, want)
	}
	sent := r.call("confirm_dangerous_command", map[string]any{"session_id": r.session, "input": named, "justification": "a stand-in"})
	if sent.IsError || leaks(text(sent), canary) != "" {
		t.Errorf("confirm_dangerous_command: %s", text(sent))
	}
	if got := r.awaitLine("rm -rf / # " + canary); len(got) != 2 || got[0]+"\n" != more {
		t.Errorf("the program received %q", got)
	}
}
