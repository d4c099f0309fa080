// The nodes of a fleet: the connections to their pages, and their list.

import { $, el } from './dom.js';
import { Wire, get } from './wire.js';
import { state } from './state.js';

const every = 5_000; // milliseconds between two requests for the list
const most = 100; // nodes whose sessions one page shows

// connect connects to the page of a node, or to the server's own page if name is ''.
export function connect(name, handlers) {
  const node = { me: null, away: '', watched: '' };
  state.nodes.set(name, node);
  node.wire = new Wire(handlers(name), name);
}

// lookAtNodes fetches the list of nodes at intervals, unless the server is in no fleet. It connects
// to new nodes, and calls forget(id) for the sessions of nodes that have left or are lost.
let timer = 0;
export async function lookAtNodes(handlers, forget) {
  clearTimeout(timer);
  let list = [];
  try { list = document.hidden ? [] : await get('nodes', {}); } catch { /* the server is away */ }
  if (!list) return;
  clearTimeout(timer);
  timer = setTimeout(() => lookAtNodes(handlers, forget), every);
  if (!list.length) return;
  const there = new Set(list.filter((n) => n.is !== 'lost').map((n) => n.name));
  for (const [name, node] of state.nodes) {
    if (!name || there.has(name)) continue;
    node.wire.close();
    state.nodes.delete(name);
    for (const id of state.sessions.keys()) if (id.startsWith(name + '/')) forget(id);
  }
  for (const n of list) {
    if (!n.self && ['here', 'draining', 'empty'].includes(n.is) && !state.nodes.has(n.name) && state.nodes.size <= most) connect(n.name, handlers);
  }
  show(list);
}

function show(list) {
  const others = list.filter((n) => n.is !== 'here').map((n) => `${n.name} ${n.is}`);
  $('nodes').hidden = false;
  $('nodes-count').textContent = [`${list.length} node${list.length > 1 ? 's' : ''}`, ...others.slice(0, 3)].join(', ');
  $('node-list').replaceChildren(...list.map((n) => {
    const shown = n.self || n.is === 'lost' || n.is === 'unreachable' || state.nodes.has(n.name);
    return el('li', { title: n.about ?? '' }, el('b', { textContent: n.name }),
      el('span', { className: `pill ${n.is === 'here' ? 'running' : n.is === 'lost' ? 'failed' : 'held'}`, textContent: n.is }),
      el('small', { textContent: `${n.sessions} of ${n.capacity} sessions${shown ? '' : `, not shown: this page shows ${most} nodes`}` }));
  }));
}
