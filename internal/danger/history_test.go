package danger

import "testing"

// TestHistory expands what refers to a shell's history. What it makes of these lines is
// what bash 5.2 makes of them; where nothing is wanted, it cannot be told here, and the line
// is held.
func TestHistory(t *testing.T) {
	past := []string{"echo one two", "tar -C /srv -xf a/b.tar.gz", "echo rm -rf X"}
	for text, want := range map[string]string{
		"ls":                        "ls",
		"!!":                        "echo rm -rf X",
		"sudo !!":                   "sudo echo rm -rf X",
		"!-1":                       "",
		"^echo ^^":                  "rm -rf X",
		"^X^Y^ Z":                   "echo rm -rf Y Z",
		"^X^Y":                      "echo rm -rf Y",
		"!!:s/echo /":               "",
		"!!:s,echo ,, -v":           "",
		"!!:1*":                     "",
		"!!:1-2 y":                  "",
		"!:1-$":                     "",
		"!*":                        "rm -rf X",
		"ls !$":                     "ls X",
		"ls !^":                     "",
		"!!:0 y":                    "",
		"!!:-":                      "", // not read, so held
		"!tar:$:h":                  "",
		"!tar:$:t":                  "",
		"!tar:$:r":                  "",
		"!tar:2:s/srv/etc/":         "",
		"!?one?:2":                  "",
		"!echo":                     "echo rm -rf X",
		"!!:gs/r/k/":                "",
		"a !#":                      "",
		`echo "!$"`:                 `echo "X"`,
		`echo '!!'`:                 `echo '!!'`,
		`echo \!!`:                  `echo \!!`,
		`echo "done!"`:              `echo "done!"`,
		"if ! true; then":           "if ! true; then",
		"[ a != b ]":                "[ a != b ]",
		"echo $! ${!x} [!a]":        "echo $! ${!x} [!a]",
		"ls # !!":                   "ls # !!",
		"a^b^c":                     "a^b^c",
		"cat <<'E'\n!!\n^a^b^\nE\n": "cat <<'E'\n!!\n^a^b^\nE\n",
		"cat <<E; ls\n!x\nE\n!!:0":  "", // of the text itself, a list
		"cat <<-E\n\t!x\n\tE\nls":   "cat <<-E\n\t!x\n\tE\nls",
		"echo a b\n!$":              "", // of the text itself
		"echo a b\n^echo ^^":        "",
		"for i in a; do\n!!\ndone":  "",
		"!12":                       "",
		"!-2":                       "",
		"!nothing":                  "",
		"!?nothing?":                "",
		"^nothing^x^":               "",
		"!!:9":                      "",
		"!!:x":                      "",
		"!$x":                       "Xx",
		"!":                         "!",
	} {
		var c Checker
		got, found := c.History(text, past)
		if len(found) > 0 {
			got = ""
		}
		if got != want {
			t.Errorf("%q: got %q, want %q (%v)", text, got, want, found)
		}
	}
	for name, past := range map[string][]string{"none": nil, "not known": {"a", ""}, "blank": {" a"}, "list": {"for i in a\ndo b\ndone"}} {
		var c Checker
		if _, found := c.History("!!", past); len(found) != 1 || found[0].Rule != "unreadable" {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// FuzzHistory expands any text.
func FuzzHistory(f *testing.F) {
	f.Add("!!:s/a/b/ !$ ^a^b^ !?x?:1-$", "echo a b")
	f.Fuzz(func(t *testing.T, text, past string) {
		var c Checker
		c.History(text, []string{past})
	})
}
