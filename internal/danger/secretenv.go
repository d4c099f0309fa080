package danger

import (
	"regexp"

	"mvdan.cc/sh/v3/syntax"
)

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

// printsVariables judges echo and printf with a variable whose name says that it holds
// credentials, where the screen shows what they print.
func (s *shell) printsVariables(c *syntax.CallExpr) {
	name := c.Args[0].Lit()
	if s.captured || name != "echo" && name != "printf" && name != "print" {
		return
	}
	for _, w := range c.Args[1:] {
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst:
				return false
			case *syntax.ParamExp:
				if n.Param != nil && !n.Length && n.Exp == nil && n.Slice == nil && n.Repl == nil && secretName.MatchString(n.Param.Value) && s.vars[n.Param.Value] == nil {
					s.k.add("credentials", name+" $"+n.Param.Value, "shows a variable that holds credentials")
				}
			}
			return true
		})
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
