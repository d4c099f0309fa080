// Plays an asciicast file with the engine of asciinema-player, and prints what
// it has drawn as JSON: node player.mjs FILE
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// The package offers only what needs a page; its engine needs none.
const dist = join(import.meta.dirname, "node_modules", "asciinema-player", "dist");
const { C: Core } = await import(join(dist, readdirSync(dist).find((n) => /^core-.*\.js$/.test(n))));

const seen = { output: "", sizes: [] };
const errors = [];
const logger = { error: (...e) => errors.push(e.join(" ")), warn() {}, info() {}, debug() {} };
const core = new Core({ data: readFileSync(process.argv[2], "utf8") }, { speed: 1, preload: true, logger });
core.addEventListener("output", (data) => {
  seen.output += [data].flat().join("");
});
core.addEventListener("resize", ({ cols, rows }) => seen.sizes.push(`${cols}x${rows}`));
core.addEventListener("reset", ({ size }) => size && seen.sizes.push(`${size.cols}x${size.rows}`));
core.addEventListener("error", (e) => errors.push(String(e?.message ?? e)));
core.terminalReady();
await core.init();
await core.seek("100%");
seen.duration = core.getDuration();
if (errors.length > 0) {
  console.error(errors.join("\n"));
  process.exit(1);
}
console.log(JSON.stringify(seen));
process.exit(0);
