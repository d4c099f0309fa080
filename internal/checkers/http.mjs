// Drives a server over HTTP with the client of the TypeScript SDK, over
// streamable HTTP and over SSE: two agents on one session, each with its reader,
// progress, cancelling, and a session that is ended in the middle of a wait.
//
//	node http.mjs URL TOKEN
//
// URL is the server's, without path. Prints "ok" when all is as it should be;
// otherwise it throws.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [base, token] = process.argv.slice(2);

// connect returns a client with a transport of its own.
async function connect(kind, secret = token) {
  const headers = { Authorization: `Bearer ${secret}` };
  const transport =
    kind === "sse"
      ? new SSEClientTransport(new URL("/sse", base), {
          requestInit: { headers },
          eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headers } }) },
        })
      : new StreamableHTTPClientTransport(new URL("/mcp", base), { requestInit: { headers } });
  const client = new Client({ name: "glasstty-checker", version: "1" });
  await client.connect(transport);
  return { client, transport };
}

// call calls a tool that must succeed.
async function call(client, name, input, options) {
  const result = await client.callTool({ name, arguments: input }, undefined, options);
  assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
  return result.structuredContent;
}

for (const kind of ["streamable", "sse"]) {
  await assert.rejects(connect(kind, "wrong-token-0123456789"), `${kind}: a wrong token is taken`);

  const a = await connect(kind);
  const b = await connect(kind);
  const shell = { command: "bash", args: ["--norc", "--noprofile"], env: { PS1: "$ " } };
  const { session_id } = await call(a.client, "start_process", shell);
  const { reader_id } = await call(b.client, "register_reader", { session_id });

  // Both see all of it, each once.
  const typed = await call(a.client, "send_and_read", { session_id, text: "echo $((6*7))", press_enter: true });
  assert.equal(typed.output, "42");
  assert.match((await call(b.client, "read_output", { session_id, reader_id })).output, /42/);
  await call(b.client, "send_and_read", { session_id, reader_id, text: "echo $((7*7))", press_enter: true });
  assert.match((await call(a.client, "read_output", { session_id })).output, /49/);

  // A call that waits tells of it, and ends when it is cancelled.
  let told = 0;
  const cancel = new AbortController();
  const waits = call(a.client, "wait_for", { session_id, pattern: "never", timeout: 60 }, {
    signal: cancel.signal,
    onprogress: () => {
      if (++told === 2) cancel.abort();
    },
  });
  await assert.rejects(waits, /abort/i);

  // The session's end ends its calls, and no other agent's.
  let ending;
  const cut = call(a.client, "wait_for", { session_id, pattern: "never", timeout: 60 }, {
    onprogress: () => {
      ending ??= kind === "sse" ? a.client.close() : a.transport.terminateSession();
    },
  });
  const other = call(b.client, "wait_for", { session_id, reader_id, pattern: "later", timeout: 60 });
  await assert.rejects(cut);
  await ending;
  await a.client.close();
  const c = await connect(kind);
  await call(c.client, "send_input", { session_id, text: "echo later\n" });
  assert.equal((await other).reason, "matched");

  await call(c.client, "terminate_process", { session_id, force: true, delete: true });
  await c.client.close();
  await b.client.close();
}
console.log("ok");
