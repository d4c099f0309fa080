// Drives a server over HTTP with the client of the TypeScript SDK, over
// streamable HTTP and over SSE: two agents on one session, each with its reader,
// progress, cancelling, a session that is ended in the middle of a wait, and a
// connection that is lost there.
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

// cutting is fetch, but the answer to the POST after arm() breaks off after two
// events.
function cutting() {
  let armed = false;
  const get = async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== "POST" || !armed) return response;
    armed = false;
    const reader = response.body.getReader();
    let events = 0;
    const body = new ReadableStream({
      async pull(controller) {
        if (events++ === 2) {
          await reader.cancel();
          controller.error(new Error("the connection is lost"));
          return;
        }
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    });
    return new Response(body, response);
  };
  get.arm = () => (armed = true);
  return get;
}

// connect returns a client with a transport of its own.
async function connect(kind, secret = token, get = fetch) {
  const headers = { Authorization: `Bearer ${secret}` };
  const transport =
    kind === "sse"
      ? new SSEClientTransport(new URL("/sse", base), {
          requestInit: { headers },
          eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headers } }) },
        })
      : new StreamableHTTPClientTransport(new URL("/mcp", base), {
          requestInit: { headers },
          fetch: get,
          reconnectionOptions: { initialReconnectionDelay: 100, maxReconnectionDelay: 1000, reconnectionDelayGrowFactor: 1.5, maxRetries: 10 },
        });
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

  // A client whose connection is lost comes back for its answer.
  if (kind === "streamable") {
    const get = cutting();
    const d = await connect(kind, token, get);
    get.arm();
    let sent;
    const waits = call(d.client, "wait_for", { session_id, pattern: "resumed", timeout: 60 }, {
      onprogress: () => {
        sent ??= call(c.client, "send_input", { session_id, text: "echo resumed\n" });
      },
      timeout: 60000,
    });
    assert.equal((await waits).reason, "matched");
    await sent;
    await d.client.close();
  }

  await call(c.client, "terminate_process", { session_id, force: true, delete: true });
  await c.client.close();
  await b.client.close();
}
console.log("ok");
