// terminal-kit: the rows in a table.
import { readFileSync } from "node:fs";
import kit from "terminal-kit";

const rows = readFileSync(process.env.ROWS, "utf8").trim().split("\n");
kit.terminal.table(rows.map((row) => [row]), { width: 40, fit: true, contentHasMarkup: false });
