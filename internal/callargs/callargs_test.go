package callargs

import (
	"encoding/json"
	"strings"
	"testing"
)

const input = `{"type":"object","properties":{
	"command":{"type":"string"},
	"args":{"type":"array","items":{"type":"string"}},
	"keys":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"object"}]}},
	"rows":{"type":"integer"},
	"timeout":{"type":"number"},
	"press_enter":{"type":"boolean"},
	"env":{"type":"object","additionalProperties":{"type":"string"}},
	"region":{"type":"object","properties":{"row":{"type":"integer"}}}
}}`

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words []string
		want  string // JSON, or the error after "!"
	}{
		{"nothing", nil, `{}`},
		{"string", []string{"command=a=b c"}, `{"command":"a=b c"}`},
		{"empty string", []string{"command="}, `{"command":""}`},
		{"looks like JSON", []string{"command=[1]"}, `{"command":"[1]"}`},
		{"scalars", []string{"rows=-1", "timeout=0.5", "press_enter=true"}, `{"press_enter":true,"rows":-1,"timeout":0.5}`},
		{"list by words", []string{"args=-c", "args=echo hi"}, `{"args":["-c","echo hi"]}`},
		{"list as JSON", []string{`args=["-c","x"]`}, `{"args":["-c","x"]}`},
		{"a lone bracket", []string{"args=[", "args=]"}, `{"args":["[","]"]}`},
		{"bracketed text", []string{"args=[a-z]"}, `!args: [a-z] is not JSON`},
		{"bracketed text as JSON", []string{`args:=["[a-z]"]`}, `{"args":["[a-z]"]}`},
		{"keys", []string{"keys=escape", `keys={"text":":wq"}`, "keys={"}, `{"keys":["escape",{"text":":wq"},"{"]}`},
		{"object", []string{`env={"A":"1"}`}, `{"env":{"A":"1"}}`},
		{"fields", []string{"env.A=1", "env.B.C=2", "region.row=3"}, `{"env":{"A":"1","B.C":"2"},"region":{"row":3}}`},
		{"unknown", []string{"tea=1", "milk=true", "sugar=two", "cup=null"}, `{"cup":"null","milk":true,"sugar":"two","tea":1}`},
		{"dotted unknown", []string{"a.b=1"}, `{"a.b":1}`},
		{"raw field", []string{"env.A:=1"}, `{"env":{"A":1}}`},
		{"raw", []string{"rows:=1.5"}, `{"rows":1.5}`},
		{"no pair", []string{"python3"}, `!"python3" is not key=value`},
		{"no key", []string{"=x"}, `!"=x" is not key=value`},
		{"twice", []string{"rows=1", "rows=2"}, `!rows is given twice`},
		{"list twice", []string{`args:="x"`, "args=y"}, `!args is given twice`},
		{"field twice", []string{"env.A=1", "env.A=2"}, `!env.A is given twice`},
		{"field after the whole", []string{"env={}", "env.A=2"}, `{"env":{"A":"2"}}`},
		{"for the server to refuse", []string{"rows=2.5", "timeout=NaN", "press_enter=yes"}, `{"press_enter":"yes","rows":2.5,"timeout":"NaN"}`},
		{"bad JSON", []string{"env=a"}, `!env: a is not JSON`},
		{"bad raw", []string{"rows:=a"}, `!rows: a is not JSON`},
		{"invalid UTF-8", []string{"command=\xff"}, `!is not UTF-8`},
		{"long", []string{strings.Repeat("x", 1000)}, `!…" is not key=value`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args, err := Parse([]byte(input), tt.words)
			if want, bad := strings.CutPrefix(tt.want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
					t.Errorf("error %v, want %s", err, want)
				}
				return
			}
			got, jerr := json.Marshal(args)
			if err != nil || jerr != nil || string(got) != tt.want {
				t.Errorf("got  %s, %v, %v\nwant %s", got, err, jerr, tt.want)
			}
		})
	}
}
