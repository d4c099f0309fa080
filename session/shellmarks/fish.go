package shellmarks

import "strings"

// fishInteractive reads fish's arguments (fish(1)).
func fishInteractive(args []string) bool {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return i+1 == len(args)
		case strings.HasPrefix(a, "--"):
			name, _, joined := strings.Cut(a, "=")
			switch name {
			case "--command", "--help", "--version", "--no-execute", "--print-rusage-self":
				return false
			case "--init-command", "--features", "--debug", "--debug-output", "--debug-stack-frames", "--profile", "--profile-startup":
				if !joined {
					i++
				}
			}
		case len(a) > 1 && a[0] == '-':
			if j := strings.IndexAny(a, "cnhv"); j > 0 && !strings.ContainsAny(a[:j], "CfdoDp") {
				return false
			}
			if strings.ContainsAny(a[len(a)-1:], "CfdoDp") {
				i++ // Its value follows.
			}
		default:
			return false // A script.
		}
	}
	return true
}

// prepareFish makes fish read the script after the user's configuration.
func prepareFish(d *draft) error {
	path, err := d.write("init.fish", "init.fish")
	d.args = append([]string{"--init-command", "source " + fishQuote(path)}, d.args...)
	return err
}

// fishQuote returns s as one word of fish.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
