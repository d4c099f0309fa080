package cmdline

import (
	"cmp"
	"reflect"
	"strings"
	"unicode"
)

// New returns the command that the fields of target, a pointer to a struct, and their tags
// describe. In tags, ${name} is replaced by the variable of that name.
func New(name, help string, target any, vars map[string]string) *Command {
	g := grammar{}
	for name, value := range vars {
		g = append(g, "${"+name+"}", value)
	}
	c := g.command(name, help, target)
	return &c
}

// A grammar converts structs to commands. It is the list of variables in tags, each followed
// by its value, as for strings.NewReplacer.
type grammar []string

// command returns the command that a struct describes.
func (g grammar) command(name, help string, target any) Command {
	c := Command{Name: name, Help: g.expand(help), Target: target}
	g.fields(&c, reflect.ValueOf(target).Elem(), "")
	return c
}

// expand replaces the variables in text. more is a list of further variables.
func (g grammar) expand(text string, more ...string) string {
	if !strings.Contains(text, "${") {
		return text // making a Replacer is slower than this search
	}
	return strings.NewReplacer(append(more, g...)...).Replace(text)
}

// fields adds the commands, flags and arguments of a struct to c; group is the heading of its
// flags.
func (g grammar) fields(c *Command, v reflect.Value, group string) {
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		name := cmp.Or(f.Tag.Get("name"), hyphened(f.Name))
		_, isCommand := f.Tag.Lookup("cmd")
		_, isArg := f.Tag.Lookup("arg")
		switch {
		case f.Anonymous:
			g.fields(c, value, cmp.Or(f.Tag.Get("group"), group))
		case !f.IsExported():
		case isCommand:
			child := g.command(name, f.Tag.Get("help"), value.Addr().Interface())
			_, child.Hidden = f.Tag.Lookup("hidden")
			_, child.Default = f.Tag.Lookup("default")
			c.Commands = append(c.Commands, child)
		case isArg:
			a := Arg{Name: name, Help: g.expand(f.Tag.Get("help")), Many: value.Type() == reflect.TypeFor[[]string](), target: value, domain: g.domainOf(f.Tag)}
			a.Words = a.words(value)
			_, a.Optional = f.Tag.Lookup("optional")
			_, a.passthrough = f.Tag.Lookup("passthrough")
			c.Args = append(c.Args, a)
		default:
			c.Flags = append(c.Flags, g.flag(name, group, f.Tag, value))
		}
	}
}

// flag returns the flag that a field describes.
func (g grammar) flag(name, group string, tag reflect.StructTag, value reflect.Value) Flag {
	f := Flag{
		Name: name, Short: tag.Get("short"), Group: group, Env: tag.Get("env"),
		target: value, domain: g.domainOf(tag), usual: g.expand(tag.Get("default")),
	}
	f.Words = f.words(value)
	f.Help = g.expand(tag.Get("help"), "${default}", f.usual)
	_, f.required = tag.Lookup("required")
	if !isBool(value) {
		f.Value = cmp.Or(tag.Get("placeholder"), strings.ToUpper(name))
		if value.Type() == reflect.TypeFor[[]string]() {
			f.Value += ",..."
		}
	}
	return f
}

// hyphened converts a field's name to a flag's: TLSCert to "tls-cert".
func hyphened(name string) string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		if i > 0 && unicode.IsUpper(c) && (unicode.IsLower(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
