package danger

// imported gives the names in a program of Python back that its imports have changed:
// after "import os as o" o is os, after "from os import system" system is os.system,
// and __import__("os") is os.
func imported(ts tokenList) tokenList {
	modules, members := map[string]string{}, map[string][2]string{}
	out := make(tokenList, 0, len(ts))
	for i := 0; i < len(ts); i++ {
		t := ts[i]
		switch {
		case t.kind != isWord:
		case (t.text == "__import__" || t.text == "import_module") && ts.at(i+1).text == "(" && ts.at(i+2).kind == isText && ts.at(i+3).text == ")":
			out = append(out, token{isWord, lastName(ts.at(i + 2).text)})
			i += 3
			continue
		case t.text == "import" && ts.at(i-1).kind == isWord && ts.at(i-2).text == "from":
			noteMembers(ts, i, members)
		case t.text == "as" && i > 0 && ts[i-1].kind == isWord && len(modules) < maxLoop:
			modules[ts.at(i+1).text] = ts[i-1].text
		case i > 0 && ts[i-1].text == ".", i > 0 && ts[i-1].kind == isWord && ts[i-1].text == "as":
			// A member, or the name that is just being given.
		case members[t.text] != [2]string{} && ts.at(i+1).text == "(":
			m := members[t.text]
			out = append(out, token{isWord, m[0]}, token{isSign, "."})
			t.text = m[1]
		case modules[t.text] != "":
			t.text = modules[t.text]
		}
		out = append(out, t)
	}
	return out
}

// noteMembers notes what "from module import a, b as c" names; i is at import.
func noteMembers(ts tokenList, i int, members map[string][2]string) {
	module := ts[i-1].text
	for j := i + 1; j < len(ts) && len(members) < maxLoop; j++ {
		name := ts[j]
		if name.kind != isWord {
			if name.text != "," && name.text != "(" {
				return
			}
			continue
		}
		as := name.text
		if ts.at(j+1).text == "as" {
			as = ts.at(j + 2).text
			j += 2
		}
		members[as] = [2]string{module, name.text}
	}
}

// lastName returns the last part of a dotted name.
func lastName(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return name
}

// sweeps judges a program of Python that deletes what it finds below a path.
func (s *shell) sweeps(ts tokenList) {
	if !ts.has("unlink") && !ts.has("rmdir") && !ts.has("remove") || !ts.has("rglob") && !ts.has("iterdir") && !ts.has("glob") && !ts.has("walk") {
		return
	}
	for i, t := range ts {
		if t.kind == isWord && (t.text == "Path" || t.text == "walk" || t.text == "glob") && ts.at(i+1).text == "(" && ts.at(i+2).kind == isText {
			p := ts.at(i + 2).text
			s.deletes(s.tilde(p, p), true, "")
		}
	}
}
