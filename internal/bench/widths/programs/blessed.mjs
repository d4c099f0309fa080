// blessed: the rows in a box.
import { readFileSync } from "node:fs";
import blessed from "blessed";

const screen = blessed.screen({ fullUnicode: true, smartCSR: true });
blessed.box({ parent: screen, width: 40, height: "100%", border: "line", content: readFileSync(process.env.ROWS, "utf8") });
screen.render();
