package sandbox

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// secretWords are words, separated by _, - or ., in the names of variables that contain secrets.
var secretWords = []string{
	"TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS",
	"APIKEY", "PAT", "COOKIE", "DSN",
}

// secretPatterns are patterns for further names: endings, the variables of cloud providers, and
// the sockets of agents that sign and decrypt for every client.
var secretPatterns = []string{
	"*_KEY", "*_KEY_ID", "*_KEYS", "*_AUTH", "*_PRIVATE", "*_PWD", "*_SID", "*ACCESSKEY", "*TOKEN", "*SECRET", "*PASSWORD", "*_CREDS",
	"AWS_*", "AZURE_*", "ARM_*", "GOOGLE_APPLICATION_*",
	"VAULT_*", "DOCKER_AUTH*", "KUBE*TOKEN*", "PGPASSFILE", "NETRC", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO",
	"DBUS_SESSION_BUS_ADDRESS", "GLASSTTY_*", "MCP_TERMINAL_*",
}

// harmlessNames are names that match the lists above, but whose variables contain no secrets.
var harmlessNames = []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE", "AWS_PAGER", "GLASSTTY_SESSION"}

// Scrub returns env without the variables that seem to contain secrets, and the names of
// the removed variables. It keeps variables whose names match a pattern in keep
// (path.Match).
func Scrub(env, keep []string) (rest, withheld []string) {
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if secret(name, value) && !matchesAny(name, keep) {
			withheld = append(withheld, name)
		} else {
			rest = append(rest, e)
		}
	}
	slices.Sort(withheld)
	return rest, withheld
}

// secret reports whether a variable seems to contain a secret.
func secret(name, value string) bool {
	upper := strings.ToUpper(name)
	if slices.Contains(harmlessNames, upper) {
		return false
	}
	words := strings.FieldsFunc(upper, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords, w) }) ||
		matchesAny(upper, secretPatterns) || hasPassword(value)
}

// matchesAny reports whether name matches one of the patterns.
func matchesAny(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}

// hasPassword reports whether a value is a URL that contains, or if invalid may contain, a password.
func hasPassword(value string) bool {
	if !strings.Contains(value, "://") || !strings.Contains(value, "@") {
		return false
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return err != nil // an invalid URL may contain a password too
	}
	_, set := u.User.Password()
	return set
}

// CheckNames returns an error for an invalid pattern.
func CheckNames(patterns []string) error {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return err
		}
	}
	return nil
}
