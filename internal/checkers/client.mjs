// Drives a server on stdio with the client of the TypeScript SDK: every tool
// (whose results it checks against the output schemas), resources, progress,
// cancellation, and 400 calls at once.
//
//	node client.mjs COMMAND ARG...
//
// Prints "ok" when all is as it should be; otherwise it throws.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "glasstty-checker", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));

const called = new Set();

// call calls a tool that must succeed; the SDK checks its structured content.
async function call(name, input, options) {
  called.add(name);
  const result = await client.callTool({ name, arguments: input }, undefined, options);
  assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
  return { text: result.content[0].text, content: result.content, ...result.structuredContent };
}

// refused calls a tool that must fail with these words.
async function refused(name, input, words) {
  const result = await client.callTool({ name, arguments: input });
  assert.ok(result.isError, `${name} did not fail`);
  assert.match(result.content[0].text, words);
}

assert.match(client.getInstructions(), /start_process/);
const { tools } = await client.listTools();
for (const t of tools) assert.ok(t.outputSchema, `${t.name} has no output schema`);

// A shell.
const shell = { command: "bash", args: ["--norc", "--noprofile"], env: { PS1: "$ " }, name: "shell" };
const session_id = (await call("start_process", shell)).session_id;
const line = (text, more) => call("send_and_read", { session_id, text, press_enter: true, ...more });
let reply = await line("echo $((6*7))");
assert.equal(reply.output, "42");
assert.equal(reply.reason, "prompt");
assert.equal(reply.is_complete, true);
assert.match(reply.text, /^42\n\[s/);

reply = await line("seq 30; false", { max_lines: 10, explain: true });
assert.equal(reply.lines_returned, 10);
assert.equal(reply.has_more, true);
assert.equal(reply.last_command.exit_code, 1);
assert.equal((await call("read_output", { session_id, tail: 2 })).output, "29\n30");
assert.deepEqual((await call("read_output", { session_id, search: "^7$", context: 0 })).hits[0].lines, ["7"]);

await call("send_keys", { session_id, keys: [{ text: "echo keys" }, "enter"] });
assert.ok((await call("send_input", { session_id, text: "echo typed\n" })).bytes_accepted > 0);
await call("wait_for", { session_id, pattern: "^typed$" });
await refused("confirm_dangerous_command", { session_id, input: "true", justification: "it does nothing" }, /nothing is held/);
const repeats = 'while read -r line; do echo "not run: $line"; done';
const standin = (await call("start_process", { command: "sh", args: ["-c", repeats], name: "standin" })).session_id;
await refused("send_and_read", { session_id: standin, text: "rm -rf /", press_enter: true }, /held by the danger check/);
const input = "rm -rf /";
assert.match((await call("confirm_dangerous_command", { session_id: standin, input, justification: "it is only repeated" })).output, /not run/);
await call("terminate_process", { session_id: standin, force: true });
await call("delete_session", { session_id: standin });
const { reader_id } = await call("register_reader", { session_id });
assert.match((await call("read_output", { session_id, reader_id })).output, /42/);
await call("unregister_reader", { session_id, reader_id });
const { messages } = await call("list_messages", { session_id, limit: 3 });
assert.equal((await call("get_message", { session_id, message_ids: [messages[0].id] })).messages.length, 1);
await call("get_session_info", { session_id });
await call("resize_pty", { session_id, rows: 10 });
for (const format of ["text", "ansi", "html", "svg", "json"]) await call("snapshot", { session_id, format });
const png = (await call("snapshot", { session_id, format: "png" })).content[1];
assert.equal(png.mimeType, "image/png");
assert.ok(Array.isArray((await call("snapshot", { session_id, since: 0 })).rows));
await line("printf '\\033[?1000h\\033[?1006h'");
await call("send_mouse", { session_id, action: "click", row: 0, col: 0, until: "none" });

// What fails says so in words.
await refused("snapshot", { session_id: "nobody" }, /no session "nobody"; call list_sessions/);
await refused("send_keys", { session_id, keys: ["hyperspace"] }, /hyperspace/);
await refused("start_process", { cmd: "ls" }, /"command"/);

// Resources, and a subscription.
const base = `cli://${session_id}/`;
const { resources } = await client.listResources();
assert.ok(resources.some((r) => r.uri === base + "screen"));
for (const kind of ["history", "screen", "recording"]) {
  assert.ok((await client.readResource({ uri: base + kind })).contents[0].text.length > 0, kind);
}
await assert.rejects(client.readResource({ uri: "cli://nobody/screen" }));
const updated = new Promise((resolve) => {
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => resolve(n.params.uri));
});
await client.subscribeResource({ uri: base + "screen" });
await line("echo changed");
assert.equal(await updated, base + "screen");
await client.unsubscribeResource({ uri: base + "screen" });

// Progress while a call waits; then one that is cancelled.
let beats = 0;
reply = await line("sleep 3", { timeout: 2.5 }, {});
assert.equal(reply.reason, "timeout");
await call("wait_for", { session_id, until: "exit", timeout: 2.5 }, { onprogress: () => beats++ });
assert.ok(beats >= 2, `${beats} progress notifications`);
await line("sleep 100", { until: "none" });
const patience = new AbortController();
const cut = call("wait_for", { session_id, until: "exit", timeout: 40 }, { signal: patience.signal });
setTimeout(() => patience.abort("enough"), 50);
await assert.rejects(cut);
assert.equal((await call("send_keys", { session_id, keys: ["ctrl+c"] })).reason, "prompt");

// Steps in one call.
reply = await call("run_steps", { session_id, steps: [{ text: "echo first", press_enter: true }, { expect: "first", text: "echo second", press_enter: true }] });
assert.equal(reply.steps.length, 2);

// 400 calls at once: each is answered, by its own answer.
const many = await Promise.all(Array.from({ length: 400 }, (_, i) =>
  i % 2 ? call("list_sessions", {}) : call("read_output", { session_id, from_line: i % 20, until: "none" })));
many.forEach((r, i) => assert.ok(i % 2 ? r.sessions.length === 1 : r.session_id === session_id));

assert.equal((await call("terminate_process", { session_id, force: true })).exit_code, 137);
assert.equal((await call("delete_session", { session_id })).deleted, true);
assert.deepEqual([...called].sort(), tools.map((t) => t.name).sort());
await client.close();
console.log("ok");
