package cmdline

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// New returns the command that target describes: a pointer to a struct, with tags on its fields. In
// help and in tags, New replaces ${name} by vars[name].
func New(name, help string, target any, vars map[string]string) *Command {
	g := grammar{}
	for name, value := range vars {
		g = append(g, "${"+name+"}", value)
	}
	c := g.command(name, help, target)
	return &c
}

// A grammar converts structs to commands. It contains the arguments of strings.NewReplacer: each
// variable, in the form ${name}, followed by its value.
type grammar []string

// command returns the command that a struct describes.
func (g grammar) command(name, help string, target any) Command {
	c := Command{Name: name, Help: g.expand(help), Target: target}
	g.fields(&c, reflect.ValueOf(target).Elem(), "")
	return c
}

// expand replaces the variables in text. more contains further variables, in the form of a grammar.
func (g grammar) expand(text string, more ...string) string {
	if !strings.Contains(text, "${") {
		return text // making a Replacer is slower than this search
	}
	return strings.NewReplacer(append(more, g...)...).Replace(text)
}

// fields adds the commands, flags and arguments of a struct to c. group is the heading of the
// struct's flags.
func (g grammar) fields(c *Command, v reflect.Value, group string) {
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		switch {
		case f.Anonymous:
			g.fields(c, value, cmp.Or(f.Tag.Get("group"), group))
		case !f.IsExported():
		case hasTag(f, "cmd"):
			child := g.command(fieldName(f), f.Tag.Get("help"), value.Addr().Interface())
			child.Hidden, child.Default = hasTag(f, "hidden"), hasTag(f, "default")
			c.Commands = append(c.Commands, child)
		case hasTag(f, "arg"):
			c.Args = append(c.Args, g.param(f, value, ""))
		default:
			c.Flags = append(c.Flags, g.param(f, value, group))
		}
	}
}

// param returns the flag or the argument that a field describes.
func (g grammar) param(f reflect.StructField, target reflect.Value, group string) Param {
	tag := func(name string) string { return g.expand(f.Tag.Get(name)) }
	p := Param{
		Name: fieldName(f), Short: tag("short"), Group: group, Env: tag("env"), Optional: hasTag(f, "optional"),
		target: target, defaultText: tag("default"), bare: tag("bare"), passthrough: hasTag(f, "passthrough"),
		min: limit(tag("min"), "-inf"), max: limit(tag("max"), "inf"), unit: tag("unit"), off: tag("off"),
	}
	p.list, _ = target.Addr().Interface().(*[]string)
	if words := cmp.Or(tag("enum"), tag("words")); words != "" {
		p.Words, p.enum = strings.Split(words, ","), hasTag(f, "enum")
	}
	p.Help = g.expand(f.Tag.Get("help"), "${default}", p.defaultText, "${words}", strings.Join(p.Words, ", "))
	if target.Kind() == reflect.Bool {
		p.bare = "true"
	}
	if p.bare == "" && !hasTag(f, "arg") {
		p.Value = cmp.Or(tag("placeholder"), strings.ToUpper(p.Name))
		if p.list != nil {
			p.Value += ",..."
		}
	}
	return p
}

// hasTag reports whether a field has a tag.
func hasTag(f reflect.StructField, tag string) bool {
	_, ok := f.Tag.Lookup(tag)
	return ok
}

// limit returns the limit of a number in a tag, or fallback if the tag is empty.
func limit(tag, fallback string) float64 {
	n, err := strconv.ParseFloat(cmp.Or(tag, fallback), 64)
	if err != nil {
		panic(err) // a mistake in a tag
	}
	return n
}

// fieldName returns the name of a flag, an argument or a command: the tag's name, or the field's
// name in lower case with hyphens, as in tls-cert for TLSCert.
func fieldName(f reflect.StructField) string {
	if name := f.Tag.Get("name"); name != "" {
		return name
	}
	var b strings.Builder
	r := []rune(f.Name)
	for i, c := range r {
		if i > 0 && unicode.IsUpper(c) && (unicode.IsLower(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
