package replay

import (
	"bytes"
	"testing"
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// TestCastHasNoControls checks that a recording printed to a terminal has no control characters,
// and does not contain the nonce.
func TestCastHasNoControls(t *testing.T) {
	var out bytes.Buffer
	const nonce = "0badc0de12345678"
	c := newCastWriter(castEscaper{&out, nonce}, 3, 0)
	for _, e := range []*eventlog.Event{
		{At: time.Second, Kind: eventlog.Output, Data: []byte("a\u009b31m\x7f\u0090é\x1b[m")},
		{At: 2 * time.Second, Kind: eventlog.Marker, Data: []byte("\u009d0;t\x07")},
		{At: 2 * time.Second, Kind: eventlog.Output, Data: []byte("NONCE=" + nonce + nonce[:9])},
	} {
		if err := c.event(e); err != nil {
			t.Fatal(err)
		}
	}
	const want = "[1.000000,\"o\",\"a\\u009b31m\\u007f\\u0090é\\u001b[m\"]\n[1.000000,\"m\",\"\\u009d0;t\\u0007\"]\n[0.000000,\"o\",\"NONCE=00000000000000000badc0de1\"]\n"
	if got := out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
