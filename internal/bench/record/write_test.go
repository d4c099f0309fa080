package main

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/glasstty/glasstty/internal/recording"
)

// TestWrite checks that a written recording can be read back, and that writing it
// again gives the same bytes.
func TestWrite(t *testing.T) {
	want := &recording.Recording{Title: "demo", Rows: 24, Cols: 80, Events: []recording.Event{
		{Kind: recording.Output, Data: []byte("\x1b[1m<日本>\x1b[m\r\n")},
		{Kind: recording.Output, Data: []byte{0xff, 0xc3}},
		{Kind: recording.Resize, Rows: 30, Cols: 100},
		{Kind: recording.Checkpoint, Label: `1 type "x"`},
	}}
	var buf bytes.Buffer
	if err := write(&buf, want); err != nil {
		t.Fatal(err)
	}
	again := bytes.Clone(buf.Bytes())
	got, err := recording.Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	var second bytes.Buffer
	if err := write(&second, got); err != nil || !bytes.Equal(second.Bytes(), again) {
		t.Errorf("writing the same recording gives different bytes (%v)", err)
	}
}
