package child

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/need"
)

// TestRollup checks which parts of a process's memory count.
func TestRollup(t *testing.T) {
	const head = "5581-7ffc ---p 00000000 00:00 0                    [rollup]\nRss:               9000 kB\n"
	for name, tt := range map[string]struct {
		data string
		kb   int64
	}{
		"files apart": {head + "Pss:               5000 kB\nPss_Dirty: 1 kB\nPss_Anon:          1000 kB\nPss_File:          3700 kB\nPss_Shmem:          300 kB\nSwapPss:             20 kB\n", 1320},
		"old kernel":  {head + "Pss:               5000 kB\nSwapPss:             20 kB\n", 5020},
		"nothing":     {"", 0},
		"nonsense":    {"Pss: many kB\nPss", 0},
	} {
		if got := rollup(tt.data); got != tt.kb<<10 {
			t.Errorf("%s: %d, want %d", name, got, tt.kb<<10)
		}
	}
}

// TestMappedFile checks that a file that is mapped and read does not count.
func TestMappedFile(t *testing.T) {
	const maps = "import mmap, tempfile\nf = tempfile.TemporaryFile()\nf.truncate(200 << 20)\nm = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)\nfor i in range(0, len(m), 4096): m[i]\nprint('up')\ninput()"
	dir := t.TempDir()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || fs.Type == unix.TMPFS_MAGIC {
		t.Skip("files here are in memory: they count")
	}
	l := newLocal(t, Options{})
	python := need.Program(t, "python3")
	c, err := l.Start(Spec{
		ID: "s1", Path: python, Args: []string{python, "-c", maps},
		Env: []string{"PATH=/usr/bin:/bin", "TMPDIR=" + dir}, Size: Size{24, 80},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	readUntil(t, c, "up\r\n")
	p, ok := readProcess(c.PID())
	if !ok || p.resident < 200<<20 {
		t.Skipf("the process's resident memory is %d MB: the file is not in it here", p.resident>>20)
	}
	if used := memoryOf([]process{p}); used > 100<<20 {
		t.Errorf("%d MB count, with the file of 200", used>>20)
	}
	if err := c.End(t.Context(), 9, 0); err != nil {
		t.Error(err)
	}
}
