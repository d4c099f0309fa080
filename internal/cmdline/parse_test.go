package cmdline

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// cups is a flag type with an UnmarshalText method.
type cups int

func (c *cups) UnmarshalText(text []byte) error {
	if len(text) != 1 || text[0] < '1' || text[0] > '9' {
		return errors.New("not a number from 1 to 9")
	}
	*c = cups(text[0] - '0')
	return nil
}

type brewing struct {
	Cups  cups     `default:"2" env:"TEA_CUPS" placeholder:"N" help:"Cups (default ${default}, at most ${most})."`
	Leaf  string   `short:"l" help:"Leaf."`
	Herbs []string `name:"herb" help:"Herbs."`
	Lid   bool     `default:"true" short:"i" help:"With the lid on."`
	Heat  string   `bare:"high" help:"How hot."`
	Sugar int      `default:"1" min:"1" max:"9" unit:"lumps" off:"-1" help:"Sugar."`
	Sips  int      `min:"1" help:"Sips."`
	Steep float64  `min:"0.5" max:"600" unit:"seconds" help:"Steep."`
}

type teaFlags struct {
	Brew struct {
		brewing `group:"Brewing"`
		Hot     bool
		IcedTea bool
		Water   string   `arg:""`
		More    []string `arg:"" optional:""`
	} `cmd:"" default:"withargs" help:"Brew."`
	Run struct {
		Pot     string   `placeholder:"POT"`
		Kind    string   `enum:"${kinds}"`
		Program []string `arg:"" passthrough:""`
	} `cmd:"" help:"Run."`
	Shop struct {
		Buy struct{} `cmd:"" help:"Buy."`
	} `cmd:"" help:"Shop."`
}

func TestParse(t *testing.T) {
	t.Setenv("TEA_CUPS", "5")
	for line, want := range map[string]string{
		"brew well":                             "brew cups=5 lid=true water=well",
		"brew well --cups 3 a --no-lid b":       "brew cups=3 lid=false water=well more=a,b",
		"brew -i -l green well":                 "brew cups=5 lid=true leaf=green water=well",
		"brew --herb a,b\\,c --herb=d well":     "brew cups=5 herbs=a|b,c|d lid=true water=well",
		"brew --heat well":                      "brew cups=5 lid=true heat=high water=well",
		"brew --heat=low --iced-tea -- -x":      "brew cups=5 lid=true heat=low iced=true water=-x",
		"--cups=1 well":                         "brew cups=1 lid=true water=well",
		"run --pot a prog -x --pot b":           "run pot=a program=prog,-x,--pot,b",
		"run --pot=a -- prog":                   "run pot=a program=prog",
		"shop buy":                              "shop buy",
		"run -h":                                "help run",
		"--help":                                "help",
		"brew --lid=maybe well":                 `error --lid: "maybe" is not true or false`,
		"brew --cups x well":                    "error --cups: not a number from 1 to 9",
		"brew --sugar off --sips 2 well":        "brew cups=5 lid=true sugar=-1 sips=2 water=well",
		"brew --sugar 0 --steep 0.5 well":       "brew cups=5 lid=true sugar=-1 steep=0.5 water=well",
		"brew --sugar 10 well":                  `error --sugar: "10" is not a whole number of lumps from 1 to 9, nor off`,
		"brew --sugar 1.5 well":                 `error --sugar: "1.5" is not a whole number of lumps from 1 to 9, nor off`,
		"brew --sips off well":                  `error --sips: "off" is not a whole number of at least 1`,
		"brew --sips 99999999999999999999 well": `error --sips: "99999999999999999999" is not a whole number of at least 1`,
		"brew --steep NaN well":                 `error --steep: "NaN" is not a number of seconds from 0.5 to 600`,
		"brew --steep 600.1 well":               `error --steep: "600.1" is not a number of seconds from 0.5 to 600`,
		"brew --cups":                           "error --cups: the value is missing: --cups=N",
		"brew --leaf -x well":                   "error --leaf: the value is missing: --leaf=LEAF",
		"brew --lids well":                      `error unknown flag --lids, did you mean "--lid"?`,
		"brew --no-herb well":                   `error unknown flag --no-herb, did you mean "--herb"?`,
		"brew --no-lid=false well":              "error --no-lid takes no value; write --no-lid or --lid",
		"brew -z well":                          "error unknown flag -z; see tea brew --help",
		"brew --steep -3 well":                  `error --steep: "-3" is not a number of seconds from 0.5 to 600`,
		"brew":                                  "error missing argument: water; usage: tea brew [flags] water [more ...]",
		"run --pot a -- -- prog":                "run pot=a program=--,prog",
		"run --pot a --kind green prog":         "run pot=a kind=green program=prog",
		"run --pot a --kind red prog":           `error --kind: "red" is not one of green, black`,
		"shop":                                  "error missing command: buy",
		"shop by":                               `error unexpected argument by, did you mean "buy"?`,
		"shop buy it":                           "error unexpected argument it; see tea shop buy --help",
		"--cups=1 shop":                         "brew cups=1 lid=true water=shop",
		"--cups=1 well a --help":                "help brew",
	} {
		if got := parsed(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// parsed describes the result of parsing a command line.
func parsed(line string) string {
	var f teaFlags
	root := New("tea", "Makes tea.", &f, map[string]string{"most": "9", "kinds": "green,black"})
	l, err := root.Parse(strings.Fields(line), func(*Command, *Param) (string, string, error) { return "", "", nil })
	switch {
	case err != nil:
		return "error " + err.Error()
	case l.Help:
		return strings.TrimSpace("help " + strings.Join(l.Path, " "))
	}
	out := l.Path
	say := func(name, value string) {
		if value != "" && value != "0" && !(name != "lid" && value == "false") {
			out = append(out, name+"="+value)
		}
	}
	switch l.Command.Name {
	case "brew":
		b := &f.Brew
		say("cups", fmt.Sprint(int(b.Cups)))
		say("herbs", strings.Join(b.Herbs, "|"))
		say("lid", fmt.Sprint(b.Lid))
		say("heat", b.Heat)
		say("leaf", b.Leaf)
		if b.Sugar != 1 {
			say("sugar", fmt.Sprint(b.Sugar))
		}
		say("sips", fmt.Sprint(b.Sips))
		say("steep", fmt.Sprint(b.Steep))
		say("hot", fmt.Sprint(b.Hot))
		say("iced", fmt.Sprint(b.IcedTea))
		say("water", b.Water)
		say("more", strings.Join(b.More, ","))
	case "run":
		say("pot", f.Run.Pot)
		say("kind", f.Run.Kind)
		say("program", strings.Join(f.Run.Program, ","))
	}
	return strings.Join(out, " ")
}

// TestSources checks the precedence of the command line, variables and other sources, and
// that errors name the source.
func TestSources(t *testing.T) {
	other := func(_ *Command, f *Param) (string, string, error) {
		if text, ok := map[string]string{"cups": "7", "herb": `a\,b,true`, "lid": "no"}[f.Name]; ok {
			return text, "a file", nil
		}
		return "", "", nil
	}
	parse := func(words ...string) brewing {
		var f teaFlags
		if _, err := New("tea", "", &f, nil).Parse(words, other); err != nil {
			t.Fatal(err)
		}
		return f.Brew.brewing
	}
	if b := parse("brew", "well"); b.Cups != 7 || len(b.Herbs) != 2 || b.Lid {
		t.Errorf("from another source: %+v", b)
	}
	if b := parse("brew", "well", "--herb=z"); len(b.Herbs) != 1 {
		t.Errorf("from the command line: %+v", b)
	}
	t.Setenv("TEA_CUPS", "x")
	if b := parse("brew", "well", "--cups=3"); b.Cups != 3 {
		t.Errorf("in addition to a variable: %+v", b)
	}
	_, err := New("tea", "", &teaFlags{}, nil).Parse([]string{"brew", "well"}, other)
	if want := "--cups: not a number from 1 to 9 (from TEA_CUPS)"; err == nil || err.Error() != want {
		t.Errorf("from a variable: %v, want %s", err, want)
	}
	bad := func(_ *Command, f *Param) (string, string, error) {
		return "", "a file", errors.New("no value of " + f.Name)
	}
	_, err = New("tea", "", &teaFlags{}, nil).Parse([]string{"brew", "--cups=1", "well"}, bad)
	if want := "--leaf: no value of leaf (from a file)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestTOML checks how values are written as TOML, and which source each is reported to
// come from.
func TestTOML(t *testing.T) {
	t.Setenv("TEA_CUPS", "5")
	var f teaFlags
	l, err := New("tea", "", &f, map[string]string{"most": "9"}).Parse(strings.Fields("brew --sugar=off --steep=1e2 --herb a,b well"), func(_ *Command, f *Param) (string, string, error) {
		if f.Name == "leaf" {
			return "gr\"een", "a file", nil
		}
		return "", "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range l.Command.Flags {
		f := &l.Command.Flags[i]
		got += f.Name + "=" + f.TOML() + " " + l.From[f.Name] + "\n"
	}
	want := `cups=5 TEA_CUPS
leaf="gr\"een" a file
herb=["a", "b"] flag --herb
lid=true ` + `
heat="" ` + `
sugar="off" flag --sugar
sips="" ` + `
steep=100 flag --steep
hot=false ` + `
iced-tea=false ` + `
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{"TLSCert": "tls-cert", "MaxCPU": "max-cpu", "Rows": "rows", "DataDir": "data-dir", "HTTP": "http"} {
		if got := fieldName(reflect.StructField{Name: in}); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	root := New("tea", "", &teaFlags{}, map[string]string{"most": "9", "kinds": "green,black"})
	f := root.Commands[0].Flags[0]
	if f.Help != "Cups (default 2, at most 9)." || f.Group != "Brewing" || f.Value != "N" || f.Env != "TEA_CUPS" {
		t.Errorf("%+v", f)
	}
}
