package recording

import (
	"bytes"
	"compress/gzip"
	"reflect"
	"strings"
	"testing"
)

func TestWriteRead(t *testing.T) {
	want := &Recording{Title: "demo", Rows: 24, Cols: 80, Events: []Event{
		{Kind: Output, Data: []byte("\x1b[1m<日本>\x1b[m\r\n")},
		{Kind: Output, Data: []byte{0xff, 0xc3}},
		{Kind: Resize, Rows: 30, Cols: 100},
		{Kind: Checkpoint, Label: `1 type "x"`},
	}}
	var buf bytes.Buffer
	if err := want.Write(&buf); err != nil {
		t.Fatal(err)
	}
	again := bytes.Clone(buf.Bytes())
	got, err := Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	var second bytes.Buffer
	if err := got.Write(&second); err != nil || !bytes.Equal(second.Bytes(), again) {
		t.Errorf("the same recording gives other bytes (%v)", err)
	}
}

func TestReadRejects(t *testing.T) {
	head := `{"version":3,"term":{"cols":80,"rows":24}}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"no header", "[]\n", "line 1"},
		{"version 2", `{"version":2}` + "\n", "line 1"},
		{"code", head + `[0,"i","x"]` + "\n", `line 2: event code "i"`},
		{"base64", head + `[0,"b","*"]` + "\n", "line 2"},
		{"resize", head + `[0,"r","wide"]` + "\n", "line 2"},
		{"json", head + `[0,"o"` + "\n", "line 2"},
		{"too long", head + strings.Repeat(" ", MaxBytes), "longer than"},
	} {
		var buf bytes.Buffer
		z := gzip.NewWriter(&buf)
		z.Write([]byte(c.text))
		z.Close()
		if _, err := Read(&buf); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}
