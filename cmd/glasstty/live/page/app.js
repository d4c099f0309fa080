// The page: it puts the parts together, and shows what the server says.

import { $, clock, trouble } from './dom.js';
import { nodeOf, get } from './wire.js';
import { state, away, facts, mine, own, stateOf, typedHere, urgency, wireOf } from './state.js';
import { connect, lookAtNodes } from './nodes.js';
import * as list from './list.js';
import { screen, fit, follow, open, back, beginAbove, drawLive, markRow } from './stage.js';
import * as needs from './needs.js';
import * as steps from './steps.js';
import * as typing from './typing.js';
import { openHistory, inputs } from './history.js';
import { speak } from './speak.js';
import { timeline } from './time.js';

const past = timeline({ session: () => state.chosen, draw: drawPast, live: showLive });
const loadInputs = inputs({ go: past.go, marks: (l) => past.mark(l) });
const restartShown = 15_000; // milliseconds

$('forget-all').onclick = async () => {
  for (const f of [...state.sessions.values()].filter((f) => urgency(f) === 2)) {
    try { await wireOf.ask({ do: 'forget', id: f.id }); } catch (err) { trouble(err.message); }
  }
};

// At the other end of a connection is the server, or a node of its fleet.
const handlers = (name) => ({
  up(hello, restarted) {
    const node = state.nodes.get(name);
    node.watched = '';
    if (name) { node.me = hello; node.away = ''; } else {
      state.me = hello;
      const now = live();
      state.away = '';
      say(restarted ? `${now}; the server has restarted` : now, 'up');
      if (restarted) setTimeout(() => { if ($('state').className === 'up') say(now, 'up'); }, restartShown);
      list.opened(); lookAtNodes(handlers, forget);
    }
    if (nodeOf(state.chosen) === name) { screen.expect(); if (!typing.losing()) trouble(); } // what could not be done meanwhile is long past
    list.clearCards(name); watch(); show();
    for (const id of told) if (nodeOf(id) === name) told.delete(id);
    forgetOthers(name, of(name)).catch(() => {});
  },
  down(why, since) { lost(name, name ? noAnswer(since) : `${why || 'the server is away'}; trying again …`); },
  silent(since) { lost(name, noAnswer(since)); },
  heard() { if (name) lost(name, ''); else { state.away = ''; say(live(), 'up'); show(); } },
  out() { if (!name) lost('', 'this browser is not let in any more: ask for a new link, as glasstty link prints it'); },
  message(m) {
    switch (m.t) {
      case 'session': learn(m); break;
      case 'gone': forget(m.id); break;
      case 'none': for (const id of of(name)) forget(id); $('none').hidden = state.sessions.size > 0; break;
      case 'frame': draw(m); break;
    }
  },
});
connect('', handlers);
steps.begin(wireOf);
typing.begin(wireOf, past.on);
list.beginThumbs(() => watch());
list.tellNeeds(needs.tell);
beginAbove(drawn, askWhole);
setInterval(() => { list.tick(); showState(); }, 1000);
$('copy-first').onclick = async () => { await navigator.clipboard?.writeText($('first').textContent); $('copy-first').textContent = 'Copied'; };

const live = () => (state.me.type ? 'live' : 'live, for watching only');
const noAnswer = (since) => `no answer${since ? ` since ${clock(since)}` : ''}`;
// of returns the ids of a node's sessions.
const of = (name) => [...state.sessions.keys()].filter((id) => nodeOf(id) === name);

// lost notes why a node cannot be asked, '' when it can again.
function lost(name, why) {
  if (name) { state.nodes.get(name).away = why; list.tick(); } else { state.away = why; say(why, 'down'); }
  show();
}

function say(text, kind) {
  $('state').textContent = text; $('state').className = kind;
  document.body.classList.toggle('away', kind !== 'up');
  needs.title();
}

// What is there

const told = new Set(); // the sessions that this connection has told of
function learn(f) {
  const first = !told.has(f.id);
  told.add(f.id);
  noteTyped(f, state.sessions.get(f.id)?.keyboard);
  state.sessions.set(f.id, f);
  list.showCard(f, choose);
  if (first && wanted() === f.id || !state.chosen) choose(wanted() === '' || !state.sessions.has(wanted()) ? f.id : wanted(), false);
  else if (first) watch();
  if (f.id === state.chosen) show();
}

// noteTyped notes what this page has typed: while it has the keyboard, as it had before, or as
// an answer to a question.
function noteTyped(f, before) {
  const k = f.keyboard, answer = steps.answered(f);
  if (answer) typedHere(f, answer);
  if (k.mine) typedHere(f, k.since, k.state === 'held');
  else if (before?.mine && before.state === 'held' && f.typed.at < k.since) typedHere(f, before.since);
}
addEventListener('storage', () => show());

// forgetOthers forgets sessions that a node does not have any more.
async function forgetOthers(node, ids) {
  const now = new Set((await get('sessions', { node })).map((f) => f.id));
  for (const id of ids) if (!now.has(id)) forget(id);
}

function forget(id) {
  state.sessions.delete(id);
  list.dropCard(id, choose);
  if (id !== state.chosen) return;
  state.chosen = '';
  const [next] = [...state.sessions.values()].sort((a, b) => urgency(a) - urgency(b)).map((f) => f.id);
  if (next) choose(next, false); else show();
}

// What is shown: one session, or all of them. The address says which, so that
// the browser's way back works. No element has that name: the browser would put the
// focus on it.
const everything = '#*';

if (!location.hash && matchMedia('(max-width: 760px)').matches) history.replaceState(null, '', everything);
const all = () => location.hash === everything;
const wanted = () => (all() ? '' : decodeURIComponent(location.hash.slice(1)));

function choose(id, visit = true) {
  if (visit) { location.hash = id; if (id === state.chosen) return; }
  state.chosen = id;
  screen.clear();
  past.leave();
  $('stage').classList.remove('past');
  steps.closeQuestions();
  openHistory(false);
  open();
  if (!all()) list.markChosen();
  watch(); show();
}

addEventListener('hashchange', () => {
  if (state.sessions.has(wanted()) && wanted() !== state.chosen) choose(wanted(), false);
  list.tidy();
  if (all()) $('list').closest('nav').scrollTop = 0; else list.markChosen();
  watch(); show();
  follow(true);
});
$('all').onclick = () => { location.hash = all() ? state.chosen : everything; };
$('skip').onclick = (e) => { e.preventDefault(); (all() ? document.querySelector('.card') : $('session'))?.focus(); };

// watch asks for the screens that are shown.
function watch() {
  const large = all() ? '' : state.chosen;
  const small = list.thumbs() ? [...state.sessions.keys()].filter((id) => id !== large) : [];
  for (const [name, node] of state.nodes) {
    const there = (id) => nodeOf(id) === name, plain = (id) => id.slice(id.indexOf('/') + 1);
    const request = { do: 'watch', large: there(large) ? plain(large) : '', small: small.filter(there).map(plain) };
    if (node.watched === (node.watched = JSON.stringify(request))) continue;
    node.wire?.ask(request).catch(() => { node.watched = ''; });
  }
}

function show() {
  const f = facts();
  document.body.classList.toggle('all', all());
  $('all').setAttribute('aria-pressed', all());
  $('pick').hidden = !!f || !state.sessions.size; $('one').hidden = !f;
  needs.title(f && !all() ? f.name : '');
  if (!f) return;
  $('one').classList.toggle('away', !!away());
  dim(away());
  if (!all() && document.visibilityState === 'visible') list.look(f, choose);
  screen.still(urgency(f) === 2);
  showState();
  $('name').textContent = f.name;
  $('title').textContent = $('title').title = f.title ?? '';
  $('program').textContent = $('program').title = [f.program || f.command, f.cwd].filter(Boolean).join(' in ');
  const you = f.typed.by && own(f.id, f.typed.at);
  // An approval comes just before what it lets the agent type.
  const a = f.answer?.at + (f.typed.by || f.answer?.did !== 'approved' ? 0 : 5) >= (f.typed.at ?? 0) ? f.answer : null;
  $('typed').textContent = a ? `${a.mine ? 'you' : a.by} ${a.did} at ${clock(a.at)}: ${a.line}` : f.typed.at ? `${you ? 'you' : f.typed.by || f.agent || 'the agent'} typed last, at ${clock(f.typed.at)}` : 'nobody has typed yet';
  $('typed').className = a || f.typed.by ? 'person' : f.typed.at ? 'agent' : '';
  $('failed').textContent = f.failed ? `failed, code ${f.failed.exit}: ${f.failed.text}` : '';
  steps.showSteps(f, past.on());
  typing.showTyping(mine() && !past.on() && !all());
  past.show(f);
  loadInputs(f);
  fit();
}

// dim makes what needs the server, or the session's node, say why it cannot be used.
let dimmed = '';
function dim(why) {
  if (why === dimmed) return;
  dimmed = why;
  for (const c of document.querySelectorAll('#time :is(button, input, select), #find [type=submit], #found button, #typings button')) c.disabled = !!why;
  for (const part of ['time', 'history', 'inputs']) $(part).title = why;
}

// showState shows what the chosen session does.
function showState() {
  const f = facts();
  if (!f) return;
  const [word, kind] = past.on() ? ['the past', 'held'] : away() ? ['no answer', 'held'] : stateOf(f);
  $('status').textContent = word; $('status').className = 'pill ' + kind;
}

function draw(f) {
  if (f.id !== state.chosen || all()) { list.drawCard(f); return; }
  if (past.on()) return;
  const changed = drawLive(f);
  if (!changed) return;
  if (f.full) fit();
  whole ||= !!f.full;
  drawn(changed);
}
// drawn sees to what follows the screen.
function drawn(changed) {
  placing ||= requestAnimationFrame(() => { follow(whole); typing.place(); steps.quote(whole); placing = 0; whole = false; });
  speak(changed);
}
let placing = 0, whole = false; // what is in view is seen to once for each picture of the browser's

// The past

function drawPast(f) {
  if (!$('stage').classList.contains('past')) back(); // the lines above are those of now
  screen.draw({ ...f, full: true }); fit(); speak([]); $('stage').classList.add('past'); show();
}
function showLive() {
  $('stage').classList.remove('past');
  markRow('');
  askWhole();
  show();
}
// Asked for again, the screen comes whole.
function askWhole() {
  screen.expect();
  const node = state.nodes.get(nodeOf(state.chosen));
  node?.wire.ask({ do: 'watch', large: '', small: [] }).then(() => { node.watched = ''; watch(); }).catch(() => {});
}
