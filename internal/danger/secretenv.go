package danger

import "regexp"

// secretName finds the names of variables that hold credentials.
var secretName = regexp.MustCompile(`(?i)(?:^|_)(?:secret|secrets|token|password|passwd|passphrase|api_?key|private_?key|secret_?key|secret_access_key|access_key|credentials?|auth_?key)(?:$|_(?:key|b64|base64|value|file_contents)$)`)

// secretPattern finds a pattern that picks such names out of the environment.
var secretPattern = regexp.MustCompile(`(?i)secret|token|passw|api_?key|access_?key|credential|private_?key|_key\b|auth`)

// showsVariable judges the printing of one variable to the screen.
func (c *command) showsVariable(name string) {
	if !c.captured && secretName.MatchString(name) {
		c.k.add("credentials", c.name+" "+name, "shows a variable that holds credentials")
	}
}

// filtersSecrets judges a filter that picks credentials out of the environment:
// env | grep TOKEN.
func (c *command) filtersSecrets() {
	if c.in.taint&fromEnv == 0 || c.captured {
		return
	}
	for _, a := range c.args {
		if secretPattern.MatchString(a.s) {
			c.k.add("credentials", c.line(), "shows variables that hold credentials")
			return
		}
	}
}
