package redact

import "strings"

// ownRules returns rules for secrets that a repository scanner may ignore and a terminal
// should not show. The secret is the first group of the expression, or else the whole match.
func ownRules() []*rule {
	return []*rule{
		// RFC 3986 3.2.1: user information with a password.
		{id: "url-password", source: `://[^\s/:@'"]{0,100}:([^\s/@'"\\]{3,200})@`, keywords: []string{"://"}, before: 1},
		// RFC 9110 11.6.2.
		{id: "authorization", source: `(?i)\b(?:basic|bearer|token)[ \t]+([\w=~@.+/-]{16,})`, keywords: []string{"basic", "bearer", "token"}, before: 1, check: mixed},
		{id: "assigned", source: `(?i)(?:passw(?:or)?d|passphrase|pwd|secret|token|api[ _.-]?key|access[ _.-]?key|auth[ _.-]?key|private[ _.-]?key|_key|credentials?|secret[ _.-]?access[ _.-]?key)["']?[ \t]{0,4}(?:=|:=|:|=>)[ \t]{0,4}["'\x60]?([^\s"'\x60;,<>\\]{8,200})`,
			keywords: []string{"passwd", "password", "passphrase", "pwd", "secret", "token", "key", "credential"}, before: 12, assigns: true, check: mixed},
		{id: "flag", source: `(?i)(?:^|[\s"'])--?[a-z-]{0,30}(?:passw(?:or)?d|passphrase|token|secret|api-?key|auth)[ =]["']?([^\s"'\x60;<>\\-][^\s"'\x60;<>\\]{5,200})`,
			keywords: []string{"passwd", "password", "passphrase", "token", "secret", "apikey", "api-key", "auth"}, before: 40, check: mixed},
		{id: "curl-user", source: `\bcurl\b[^\n]{0,200}?[ \t](?:-u|--user)[ =]?["']?[^\s:"']{1,60}:([^\s"'\\]{4,200})`, keywords: []string{"curl"}, before: 1},
		{id: "sk-key", source: `\bsk-[A-Za-z0-9_-]{20,}`, keywords: []string{"sk-"}, before: 1, run: 23},
		{id: "github", source: `\b(?:gh[pousr]_|github_pat_)[0-9A-Za-z_]{20,}`, keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, before: 1, run: 24},
		{id: "gitlab", source: `\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas)-[0-9A-Za-z_-]{16,}`, keywords: []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-"}, before: 1, run: 20},
		{id: "slack", source: `\bxox[a-z]-[0-9A-Za-z-]{10,}`, keywords: []string{"xox"}, before: 1, run: 15},
		{id: "aws-key-id", source: `\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b`, keywords: []string{"akia", "asia", "abia", "acca"}, before: 1, run: 20},
		{id: "google", source: `\bAIza[\w-]{35}`, keywords: []string{"aiza"}, before: 1, run: 39},
		// RFC 7468: also without its end or its beginning, and in a JSON string, which is
		// how cloud providers issue keys.
		{id: "pem-begun", source: `-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:\s*[A-Za-z-]{1,40}: [^\n]{0,200})*(?:[A-Za-z0-9+/=\s]|\\[rn])*(?:-----END[ A-Z0-9_-]{0,100}-----)?`, keywords: []string{"-----begin"}, before: 1},
		{id: "pem-ended", source: `(?:[A-Za-z0-9+/=]{16,100}(?:[ \t\r]*\n[ \t]*|(?:\\r)?\\n))+-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`, keywords: []string{"-----end"}, before: 8 << 10, after: 200},
	}
}

// mixed reports whether secret is unlike a word or a number: it contains both digits and
// letters, or a character that words do not contain, or it is long.
func mixed(secret string) bool {
	digit := strings.ContainsAny(secret, "0123456789")
	letter := strings.ContainsFunc(secret, func(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' })
	odd := strings.ContainsAny(secret, "!@#%^&*+=~?|")
	return digit && letter || odd && (digit || letter) || len(secret) >= 24 && (digit || letter) && !strings.ContainsAny(secret, "/()[]{}")
}
