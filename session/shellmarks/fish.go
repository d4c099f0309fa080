package shellmarks

import "strings"

// fishInteractive reports whether fish reads commands from its terminal with these arguments
// (fish(1)).
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
				i++ // its value follows
			}
		default:
			return false // a script
		}
	}
	return true
}

// prepareFish makes fish read the script after the user's configuration.
func prepareFish(s *Setup) error {
	path, err := s.write("init.fish", "init.fish")
	s.Args = append([]string{"--init-command", "source " + fishQuote(path)}, s.Args...)
	return err
}

// fishQuote returns s as one word of fish.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
