package danger

import "strings"

// outputOptions name the file or directory that a program writes, whatever program
// it is.
var outputOptions = []string{
	"-o", "-out", "--out", "--output", "--outfile", "--output-file", "--output-document", "--output-dir", "--output-directory", "--out-dir", "--outdir",
	"--log-file", "--logfile", "--dest", "--destination", "--target-dir", "--target-directory", "--directory-prefix", "--install-dir", "--save-to", "--write-to", "--outFile", "--dump-bin", "--dump-file", "--record", "--pidfile", "--pid-file",
}

// moreOutputs are the options of single programs that name what they write.
var moreOutputs = map[string][]string{
	"wget": {"-P", "-a", "--append-output", "-O"}, "aria2c": {"-d", "--dir"}, "openssl": {"-keyout", "-CAserial", "-writerand"}, "curl": {"-D", "--dump-header", "-c", "--cookie-jar", "--trace"},
	"pip": {"-t", "--target", "--prefix", "--root"}, "pip3": {"-t", "--target", "--prefix", "--root"}, "npm": {"--prefix"}, "gem": {"-i", "--install-dir", "-n", "--bindir"},
	"git": {"--separate-git-dir"}, "rustc": {"--out-dir"}, "protoc": {"--go_out", "--python_out"}, "tcpdump": {"-w"}, "tshark": {"-w"}, "nmap": {"-oN", "-oA", "-oX", "-oG"},
	"pg_dump": {"-f", "--file"}, "pg_dumpall": {"-f", "--file"}, "mysqldump": {"-r", "--result-file"}, "mongodump": {"--archive"}, "iconv": {"-o"},
	"cargo": {"--root"}, "make": {"-C"}, "unsquashfs": {"-d", "-dest"}, "cabextract": {"-d"}, "unrar": {"-op"}, "sqlite3": {"-output"}, "ghc": {"-odir"},
	"gpg": {"--output", "-o"}, "age": {"-o"}, "age-keygen": {"-o"}, "dot": {"-o"}, "perf": {"-o"}, "screen": {"-Logfile", "-L"}, "rlwrap": {"-l"}, "iptables-save": {"-f"}, "varnishncsa": {"-w"},
}

// noOutput are the programs whose -o means something else.
var noOutput = map[string]bool{"find": true, "gfind": true, "unzip": true, "set": true, "shopt": true, "mount": true, "lsof": true, "fgrep": true, "make": true, "bash": true, "sh": true, "zsh": true, "useradd": true}

// writesOptions judges the files that a program's options say it writes.
func (c *command) writesOptions() {
	if readers[c.name] || noOutput[c.name] || !c.hasPathOption() {
		return
	}
	for _, names := range [][]string{outputOptions, moreOutputs[c.name]} {
		for _, v := range c.values(names...) {
			if strings.Contains(v.s, "/") {
				c.writes(v.s, false)
			}
		}
	}
}

// hasPathOption reports whether there is an option and a path among the arguments: for
// most commands that is all there is to look at.
func (c *command) hasPathOption() bool {
	option, path := false, false
	for _, a := range c.args {
		option = option || len(a.s) > 1 && a.s[0] == '-'
		path = path || strings.IndexByte(a.s, '/') >= 0
	}
	return option && path
}

// An operandWriter says which operands of a program are written to.
type operandWriter struct {
	valued string // its option letters that take a value
	from   int    // the first of them; -1 for the last one, when there are two
	need   string // only with this option letter
	piped  bool   // only when its commands do not come from the keyboard
}

// operandWriters are the programs that write the files or directories which they are
// given, and have no rule of their own.
var operandWriters = map[string]operandWriter{
	"sponge": {}, "dos2unix": {}, "unix2dos": {}, "sd": {from: 2}, "rpl": {from: 2}, "patch": {valued: "dipoBDFVz"}, "ed": {valued: "p", piped: true}, "ex": {valued: "c", need: "s"},
	"split": {valued: "abClnt", from: -1}, "csplit": {valued: "bfn", from: 2}, "dpkg-deb": {need: "x", from: -1}, "strip": {valued: "o"}, "objcopy": {from: -1}, "ffmpeg": {valued: "if", from: -1},
	"fallocate": {valued: "lo"}, "mkfile": {from: 1}, "debootstrap": {from: 1}, "virt-sparsify": {from: -1}, "qemu-img": {from: -1, need: "O"}, "convert": {from: -1},
	"lwp-download": {from: 1}, "xxd": {valued: "cglosR", need: "r", from: 1}, "update-alternatives": {from: 0},
	"uudecode": {valued: "o"}, "pv": {valued: "o"}, "svn": {from: -1}, "hg": {from: -1}, "mksquashfs": {from: 1}, "genisoimage": {valued: "o"},
}

// writesOperands judges the operands that a program writes to.
func (c *command) writesOperands() {
	w, ok := operandWriters[c.name]
	if !ok {
		return
	}
	opts, ops := c.split(w.valued)
	if w.need != "" && !opts.has(w.need) || w.piped && c.in.tty {
		return
	}
	if w.from < 0 {
		if len(ops) < 2 {
			return
		}
		ops = ops[len(ops)-1:]
	}
	for _, o := range ops[min(max(w.from, 0), len(ops)):] {
		c.writes(o.s, false)
	}
}

// inPlace judges an interpreter that changes its files in place: perl -i, ruby -i.
func (c *command) inPlace() {
	opts, ops := c.split("eEIMmFxr")
	if !opts.has("i") {
		return
	}
	for _, o := range ops {
		c.writes(o.s, false)
	}
}
