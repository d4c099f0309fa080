package child

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestReadAll reads pieces like those of a terminal. It checks that large pieces are returned
// together if there is room, and that readAll does not wait for more.
func TestReadAll(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	if err := unix.SetNonblock(ends[0], true); err != nil {
		t.Fatal(err)
	}
	send := func(sizes ...int) {
		t.Helper()
		for _, n := range sizes {
			if _, err := unix.Write(ends[1], make([]byte, n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := make([]byte, 10_000)
	expect := func(want int, wantErr error) {
		t.Helper()
		if n, err := readAll(ends[0], p); n != want || err != wantErr {
			t.Errorf("%d bytes, %v; want %d, %v", n, err, want, wantErr)
		}
	}
	expect(0, unix.EAGAIN)
	send(4000, 4000)
	expect(8000, nil)
	send(4000, readMore-1, 4000)
	expect(4000+readMore-1, nil) // a short piece ends a flood
	expect(4000, nil)
	send(5, 4000)
	expect(5, nil)
	expect(4000, nil)
	send(4000, 4000, 2000, 7)
	expect(10_000, nil)
	expect(7, nil)
	expect(0, unix.EAGAIN)
}
