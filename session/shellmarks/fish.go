package shellmarks

import "strings"

// fishSyntax is the syntax of fish's options (fish(1)).
var fishSyntax = syntax{
	unmarked: []string{"-c", "--command", "-n", "--no-execute", "-h", "--help", "-v", "--version", "--print-rusage-self", "-"},
	values: []string{
		"-C", "--init-command", "-f", "--features", "-d", "--debug", "-o", "--debug-output",
		"-D", "--debug-stack-frames", "-p", "--profile", "--profile-startup",
	},
}

// prepareFish makes fish read a script with the hooks, after the user's configuration.
func prepareFish(s *Setup) error {
	path, err := s.write("init.fish", "init.fish")
	s.Args = append([]string{"--init-command", "source " + fishQuote(path)}, s.Args...)
	return err
}

// fishQuote returns s as one word of fish.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
