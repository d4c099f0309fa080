// @clack/prompts: the rows in a note.
import { readFileSync } from "node:fs";
import { note } from "@clack/prompts";

note(readFileSync(process.env.ROWS, "utf8").trim(), "Rows and a title that is wider than each");
