// The state of the page: its person, the nodes, the sessions, and the chosen session.

import { nodeOf } from './wire.js';

export const state = {
  me: { name: '', type: false }, // type: the person may type
  nodes: new Map(), // by name, '' for the server itself: wire, me and away of the node
  sessions: new Map(), // facts by session, oldest first
  chosen: '', // the session that is shown large
  away: '', // why the server does not answer; '' if it does
};

// away returns why the node of a session does not answer, or '' if it does.
export const away = (id = state.chosen) => state.away || state.nodes.get(nodeOf(id))?.away || '';
// typist reports whether the person may type on the chosen session's node.
export const typist = () => !!(nodeOf(state.chosen) ? state.nodes.get(nodeOf(state.chosen))?.me : state.me)?.type;
// wireOf.ask sends a request to the node of the session in it.
export const wireOf = { ask: (request) => state.nodes.get(nodeOf(request.id))?.wire.ask(request) ?? Promise.reject(new Error('its node is gone')) };

export const facts = () => state.sessions.get(state.chosen);
export const alive = () => facts()?.status === 'running';

// mine reports whether this page has the keyboard of the chosen session.
export const mine = () => alive() && facts().keyboard.state === 'held' && !!facts().keyboard.mine;

// What was typed in this browser: the spans of time, in Unix seconds, in which one of its pages
// had a session's keyboard or answered a question. Local storage keeps them when a page is reloaded.
const spansKey = 'typed', mostSpans = 200;
const kept = () => JSON.parse(localStorage[spansKey] ?? '[]');
let spans = kept();
addEventListener('storage', () => { spans = kept(); });

// typedHere records that this browser typed what was typed from the moment since on. typed is false
// if the person has only paused the agent.
export function typedHere(f, since, typed = true) {
  const until = typed && f.typed.by ? Math.max(since, f.typed.at) : since;
  if (spans.some(([id, from, to]) => id === f.id && from === since && to >= until)) return;
  spans = [...kept().filter(([id, from]) => id !== f.id || from !== since), [f.id, since, until]].slice(-mostSpans);
  localStorage[spansKey] = JSON.stringify(spans);
}
// own reports whether a person's input at a moment was typed in this browser.
export const own = (id, at) => spans.some(([session, from, to]) => session === id && from <= at && at <= to);
// inOtherTab reports whether another page of this browser has a session's keyboard.
export const inOtherTab = ({ id, keyboard: k }) => !k.mine && spans.some(([session, from]) => session === id && from === k.since);

// whoHolds returns who has a session's keyboard. A person may have no name, and without links the
// server cannot tell browsers apart.
export function whoHolds(f) {
  const k = f.keyboard;
  if (k.mine) return 'you';
  if (inOtherTab(f)) return 'you, in another tab';
  return k.same ? 'another tab or browser' : k.by === 'a person' ? 'another person' : k.by;
}
// sentence returns whoHolds for the beginning of a sentence. It does not change a person's name.
export function sentence(f) {
  const who = whoHolds(f);
  return who === f.keyboard.by ? who : who[0].toUpperCase() + who.slice(1);
}

// urgency orders sessions: 0 for one that waits for a person, 1 for one that runs, 2
// for one that has ended.
export const urgency = (f) => (f.status !== 'running' ? 2 : f.held?.length || f.secret ? 0 : 1);

// interrupted has the exit codes of programs that people stop by signals, which is not a failure.
const interrupted = { 129: 'hung up', 130: 'interrupted', 143: 'ended' };

// stateOf returns a description of what a session does, its CSS class, and why a person should look
// at the session, if there is a reason.
export function stateOf(f) {
  const k = f.keyboard;
  if (f.status !== 'running') {
    if (f.ended?.startsWith('ended by') && !f.ended.startsWith('ended by the server')) return [f.ended, 'ended'];
    if (interrupted[f.exit]) return [interrupted[f.exit], 'ended'];
    return f.exit ? [`failed, code ${f.exit}`, 'failed', `failed with code ${f.exit}`] : [f.status, 'ended'];
  }
  const keyboard = k.state === 'paused' ? 'paused' : k.state !== 'held' ? '' : k.mine ? 'you type' : inOtherTab(f) ? 'you type in another tab' : `${whoHolds(f)} types`;
  if (f.held?.length) return [keyboard || 'waits for you', 'held', 'wants to run a command'];
  if (f.secret) return ['asks for a password', 'held', 'asks for a password'];
  if (keyboard) return [keyboard, 'held'];
  switch (f.doing) {
    case 'prompt': return [f.failed ? `at its prompt, code ${f.failed.exit}` : 'at its prompt', 'rests'];
    case 'asks': return ['asks', 'rests'];
    case 'keys': return ['waits for keys', 'rests'];
  }
  const since = f.since ? Math.max(0, Math.round(Date.now() / 1000 - f.since)) : 0;
  return [since ? `working ${since < 100 ? `${since} s` : `${Math.round(since / 60)} min`}` : 'working', 'running'];
}
