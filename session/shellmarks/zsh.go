package shellmarks

import "strings"

// zshInteractive reads zsh's arguments (zshoptions(1)). With -f it reads none of
// the files that could bring the marks in.
func zshInteractive(args []string) bool {
	for _, a := range args {
		if a == "--help" || a == "--version" || strings.EqualFold(a, "--no-rcs") || strings.EqualFold(a, "--norcs") {
			return false
		}
	}
	var short []string
	for _, a := range args {
		if !strings.HasPrefix(a, "--") || a == "--" {
			short = append(short, a)
		}
	}
	letters, ok := shortOptions(short)
	return ok && !strings.ContainsAny(letters, "cfr")
}

// prepareZsh has zsh read its first file from a directory of ours.
func prepareZsh(d *draft) error {
	restore := "'builtin' 'unset' 'ZDOTDIR'"
	if user, ok := d.env.get("ZDOTDIR"); ok {
		restore = "'builtin' 'export' ZDOTDIR=" + quote(user)
	}
	_, err := d.write("zshenv.zsh", ".zshenv", "@RESTORE@", restore)
	d.env = d.env.with("ZDOTDIR", d.dir)
	return err
}
