package state

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestRing checks the ring against a slice that keeps everything.
func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 16
		r := Ring{Limit: limit}
		var all []byte
		for range rapid.IntRange(0, 20).Draw(t, "writes") {
			p := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "p")
			r.Write(p)
			all = append(all, p...)
			from := rapid.Int64Range(0, int64(len(all))).Draw(t, "from")
			got := r.Since(from)
			first := max(int64(len(all)-limit), 0)
			if want := all[max(from, first):]; !bytes.Equal(got, want) {
				t.Fatalf("since(%d) of %d = %v, want %v", from, len(all), got, want)
			}
			if r.First() != first {
				t.Fatalf("the first of %d bytes is %d, want %d", len(all), r.First(), first)
			}
			if len(r.Buf) > limit {
				t.Fatalf("ring holds %d bytes, limit %d", len(r.Buf), limit)
			}
		}
	})
}
