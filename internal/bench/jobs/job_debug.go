package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

const totalsPy = `rows = [("anna", "3"), ("ben", "4"), ("cid", ""), ("dora", "5")]


def total(rows):
    result = 0
    for name, count in rows:
        result += int(count)
    return result


print(total(rows))
`

// pdbJob finds the row on which a Python program fails.
func pdbJob() job {
	return job{
		name: "debug in Python", needs: []string{"python3"},
		prepare: func(_ context.Context, f *site) error { return f.write("totals.py", totalsPy, 0o644) },
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"python3", "-m", "pdb", "totals.py"}}, `-> rows`)
			a.together(say("b 7", `Breakpoint 1`), say("c", `-> result`), say("p name, count", `'anna', '3'`))
			a.together(say("b 7, not count", `Breakpoint 2`), say("cl 1", `Deleted`),
				say("c", `-> result`), say("p name, count, result", `'cid', '', 7`))
		},
		check: func(_ *site, read string) error { return contains(read, "('cid', '', 7)") },
	}
}

const crashC = `#include <stdio.h>
#include <stdlib.h>

struct item {
    const char *name;
    struct item *next;
};

static int length(const struct item *list) {
    int n = 0;
    for (; list->name; list = list->next)
        n++;
    return n;
}

static struct item *load(int want) {
    struct item *head = NULL;
    for (int i = 0; i < want; i++) {
        struct item *it = malloc(sizeof *it);
        it->name = "item";
        it->next = head;
        head = it;
    }
    return head;
}

int main(void) {
    struct item *items = load(3);
    printf("%d items\n", length(items));
    return 0;
}
`

// gdbJob finds out why a C program crashes.
func gdbJob() job {
	return job{
		name: "gdb on a crash", needs: []string{"gdb", "gcc"},
		prepare: func(ctx context.Context, f *site) error {
			if err := f.write("crash.c", crashC, 0o644); err != nil {
				return err
			}
			_, err := f.exec(ctx, nil, "gcc", "-g", "-O0", "-o", "crash", "crash.c")
			return err
		},
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"gdb", "-q", "./crash"}}, `Reading symbols`)
			a.together(say("run", `SIGSEGV`), say("bt", `in main`))
			a.together(say("p n", `= 3`), say("p list", `= .*0x0`), say("up", `printf`), say("p *items", `next = 0x`))
		},
		check: func(_ *site, read string) error { return contains(read, "SIGSEGV", "$1 = 3") },
	}
}

const shopSQL = `CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers, total REAL, status TEXT);
INSERT INTO customers VALUES (1,'Anna','Bonn'),(2,'Ben','Graz'),(3,'Cid','Bern'),(4,'Dora','Lyon');
`

// sqliteJob looks around in a database, finds a figure and corrects a row.
func sqliteJob() job {
	return job{
		name: "sqlite3 queries", needs: []string{"sqlite3"},
		prepare: func(ctx context.Context, f *site) error {
			var sql strings.Builder
			sql.WriteString(shopSQL)
			for i := 1; i <= 40; i++ {
				fmt.Fprintf(&sql, "INSERT INTO orders VALUES (%d,%d,%d.5,'%s');\n", i, i%4+1, i*i%97, []string{"paid", "open", "open"}[i%3])
			}
			_, err := f.exec(ctx, strings.NewReader(sql.String()), "sqlite3", "shop.db")
			return err
		},
		script: func(a *agent, _ *site) {
			argv := []string{"sqlite3", "shop.db"}
			if a.server == peer.Desktop {
				argv = []string{"sqlite3", "-interactive", "shop.db"} // no prompt on pipes without it
			}
			a.run(program{argv: argv, text: ".schema"}, `CREATE TABLE orders`)
			a.line("select name, count(*), sum(total) from orders join customers c on c.id=customer where status='open' group by 1 order by 3 desc;", `Dora\|`)
			a.line("select id, total from orders where customer=4 and status='open' order by 2 desc limit 3;", `\|\d+\.5`)
			a.together(say("update orders set status='paid' where id=7; select changes();", `(?m)^1\r?$`),
				say("select status from orders where id=7;", `paid`))
		},
		check: func(f *site, read string) error {
			out, err := f.exec(context.Background(), nil, "sqlite3", "shop.db", "select status from orders where id=7; select count(*) from orders")
			if err != nil {
				return err
			}
			if out != "paid\n40\n" {
				return fmt.Errorf("the database has %q", out)
			}
			return contains(read, "Dora|")
		},
	}
}
