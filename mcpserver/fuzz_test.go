package mcpserver

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzArguments checks that each tool decodes arbitrary bytes, or rejects them with one
// line of valid text, and never panics.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"session_id":"s1","keys":["ctrl+c",{"text":"x"}]}`,
		`{"command":"x","rows":1e3,"env":{"A":"b"},"args":["\ud800"]}`,
		`{"session_id":"s1","region":{"row":0},"since":18446744073709551615}`,
		`{"session_id":"s1","action":"click","row":0,"col":0,"button":2,"modifiers":["ctrl"]}`,
		`{"session_id":"s1","timeout":-1e-400,"until":"","wait_for":"("}`,
	} {
		f.Add([]byte(seed))
	}
	tools := allTools()
	f.Fuzz(func(t *testing.T, args []byte) {
		for _, tool := range tools {
			err := decodeArgs(json.RawMessage(args), reflect.New(tool.in).Interface())
			if err == nil {
				continue
			}
			if text := strings.ToValidUTF8(err.Error(), "\uFFFD"); text == "" || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\x1b") {
				t.Errorf("%s: %q", tool.name, text)
			}
		}
	})
}
