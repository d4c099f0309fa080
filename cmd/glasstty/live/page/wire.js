// The connection to the server: a WebSocket or, if WebSockets are blocked, an event stream and POST
// requests. It reconnects when it is lost.

// me distinguishes this tab from other tabs and browsers with the same link. It survives a reload, so
// that the person keeps the keyboard.
const me = sessionStorage.tab ||= [...crypto.getRandomValues(new Uint8Array(10))].map((b) => b.toString(16).padStart(2, '0')).join('');

// proof returns the secret that, in addition to the cookie, shows that a link let this browser in. The
// browser sends the cookie to all servers on this host, and the page sends the proof only to ours.
function proof() {
  try { return localStorage.proof ?? ''; } catch { return held; }
}
let held = '';
if (location.hash.startsWith('#proof=')) {
  held = location.hash.slice('#proof='.length);
  try { localStorage.proof = held; } catch { /* it lasts as long as the page */ }
  history.replaceState(null, '', location.pathname);
}
const shown = () => ({ 'Glasstty-Proof': proof() });

// The ID of another node's session is NODE/ID on this page, and ID on the node.
export const nodeOf = (id) => id.slice(0, Math.max(0, id.indexOf('/')));
const idOf = (id) => id.slice(id.indexOf('/') + 1);

// named replaces the IDs and names in a node's message by those that this page uses.
function named(m, node) {
  if (!node) return m;
  if (m.id) m.id = `${node}/${m.id}`;
  if (m.t === 'session') m.name = `${node}/${m.name}`;
  for (const line of m.lines ?? []) for (const image of line.i ?? []) image[2] += `&node=${node}`;
  if (m.frame) named(m.frame, node);
  return m;
}

const firstWait = 300, longestWait = 10_000; // milliseconds between attempts
const longest = 8 << 20; // bytes of one message that the server accepts
const beat = 2_000, silence = 5_000; // milliseconds between two pings, and without a message, after which the server counts as silent
const expires = 5_000; // milliseconds after which the server refuses a request

let sockets = false; // a WebSocket has got through

export class Wire {
  #handlers; #node; #pulse; #closed = false; #socket = null; #source = null; #conn = ''; #boot = ''; #number = 0; #waiting = new Map();
  #wait = firstWait; #failures = 0; #opened = false;
  #heard = 0; #silent = false; #ahead = 0; // milliseconds by which the server's clock is ahead

  // handlers: message(m), up(hello, restarted), down(why, since), silent(since), heard(), out();
  // node: the node whose page it connects to, '' for the server's own page.
  constructor(handlers, node = '') {
    this.#handlers = handlers;
    this.#node = node;
    this.#open();
    this.#pulse = setInterval(() => this.#beat(), beat);
    // A page in the back/forward cache must not keep the keyboard.
    addEventListener('pagehide', () => this.#cut());
  }

  #cut() { this.#socket?.close(); this.#source?.close(); }

  // close ends the connection for good.
  close() {
    this.#closed = true;
    clearInterval(this.#pulse);
    this.#cut();
  }

  // #beat sends a ping, and reports a server that has been silent for too long.
  #beat() {
    if (!this.#opened) return;
    if (document.hidden) { this.#heard = Date.now(); return; }
    if (Date.now() - this.#heard > silence && !this.#silent) { this.#silent = true; this.#handlers.silent(this.#heard / 1000); }
    this.ask({ do: 'ping' }).catch(() => {});
  }

  #open() {
    this.#opened = false;
    // If a WebSocket has worked before, they are not blocked: the server does not answer.
    if (this.#closed) return;
    if (this.#failures >= 2 && !sockets) { this.#openStream(); return; }
    const url = new URL(`ws?${this.#who()}`, document.baseURI);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = this.#socket = new WebSocket(url);
    socket.onmessage = (e) => this.#got(JSON.parse(e.data));
    socket.onclose = (e) => { if (this.#socket === socket) { this.#socket = null; this.#lost(e.reason); } };
  }

  #who() { return `me=${me}&proof=${proof()}` + (this.#node && `&node=${this.#node}`); }

  #openStream() {
    const source = this.#source = new EventSource(`events?${this.#who()}`);
    source.onmessage = (e) => this.#got(JSON.parse(e.data));
    source.onerror = () => { source.close(); this.#source = null; this.#lost(''); };
  }

  #got(m) {
    if (this.#closed) return;
    this.#heard = Date.now();
    if (this.#silent) { this.#silent = false; this.#handlers.heard(); }
    if (m.t === 'hello') {
      this.#ahead = m.now * 1000 - Date.now();
      const restarted = this.#boot !== '' && this.#boot !== m.boot;
      this.#conn = m.conn; this.#boot = m.boot; this.#wait = firstWait; this.#failures = 0;
      this.#opened = true; sockets ||= !!this.#socket;
      this.#handlers.up(m, restarted);
      return;
    }
    if (m.t !== 'done' && m.t !== 'failed') { this.#handlers.message(named(m, this.#node)); return; }
    const waiting = this.#waiting.get(m.n);
    this.#waiting.delete(m.n);
    if (m.t === 'done') waiting?.resolve(); else waiting?.reject(new Error(m.error));
  }

  async #lost(why) {
    this.#silent = false;
    for (const w of this.#waiting.values()) w.reject(Object.assign(new Error('the connection was lost'), { unsure: true }));
    this.#waiting.clear();
    if (!this.#opened) this.#failures++;
    if (this.#closed) return;
    this.#handlers.down(why, this.#heard / 1000);
    if (!this.#opened && await refused()) { this.#wait = longestWait; this.#handlers.out(); }
    setTimeout(() => this.#open(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, longestWait);
  }

  // ask sends a request and resolves when the server has done it.
  ask(request) {
    return new Promise((resolve, reject) => {
      const n = ++this.#number, by = Math.round(Date.now() + this.#ahead + expires);
      if (request.id) request = { ...request, id: idOf(request.id) };
      const text = JSON.stringify({ n, by, ...request });
      if (text.length > longest / 4 && new Blob([text]).size > longest) { reject(new Error('that is too much at once')); return; }
      this.#waiting.set(n, { resolve, reject });
      if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
      else if (this.#source) this.#post(n, text);
      else { this.#waiting.delete(n); reject(new Error('not connected to the server')); }
    });
  }

  // POST requests are sent one after the other, so that input keeps its order.
  #posts = Promise.resolve();
  #post(n, text) {
    this.#posts = this.#posts.then(async () => {
      const res = await fetch(`act?${this.#who()}&conn=${encodeURIComponent(this.#conn)}`, { method: 'POST', body: text, headers: shown() });
      if (!res.ok) throw new Error(await res.text());
    }).catch((err) => { this.#waiting.get(n)?.reject(err); this.#waiting.delete(n); });
  }
}

// refused reports whether the server answers but does not let this browser in.
async function refused() {
  try { return [401, 403].includes((await fetch('sessions', { headers: shown() })).status); } catch { return false; }
}

// shownBy returns path with the proof as a parameter, for elements, which cannot send headers.
export const shownBy = (path) => `${path}&proof=${proof()}`;

// get fetches JSON from the server.
export async function get(path, query) {
  const node = query.node ?? nodeOf(query.id ?? ''), q = new URLSearchParams(query);
  if (query.id) q.set('id', idOf(query.id));
  if (node) q.set('node', node);
  const res = await fetch(path + '?' + q, { headers: shown() });
  if (!res.ok) throw new Error((await res.text()).trim());
  const got = await res.json();
  if (got) for (const m of [got].flat()) named(m, node);
  return got;
}
