// Ink: the rows in a box.
import { readFileSync } from "node:fs";
import { Box, Text, render } from "ink";
import { createElement } from "react";

const rows = readFileSync(process.env.ROWS, "utf8").trim().split("\n");
render(createElement(Box, { borderStyle: "single", flexDirection: "column", width: 40 },
  rows.map((row) => createElement(Text, { key: row }, row))));
setTimeout(() => {}, 60000);
