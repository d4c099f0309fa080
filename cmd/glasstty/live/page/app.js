// The page connects its parts, and shows what the server sends.

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

// handlers returns the handlers for the connection to a node, or to the server itself if name is ''.
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
    if (nodeOf(state.chosen) === name) { screen.expect(); if (!typing.losing()) trouble(); } // earlier errors no longer matter
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

// lost records why a node, or the server if name is '', does not answer; why is '' if it does again.
function lost(name, why) {
  if (name) { state.nodes.get(name).away = why; list.tick(); } else { state.away = why; say(why, 'down'); }
  show();
}

function say(text, kind) {
  $('state').textContent = text; $('state').className = kind;
  document.body.classList.toggle('away', kind !== 'up');
  needs.title();
}

// Sessions

const told = new Set(); // the sessions that this connection has reported
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

// noteTyped records what this page has typed: while it has the keyboard, until it lost the keyboard,
// or as an answer to a question.
function noteTyped(f, before) {
  const k = f.keyboard, answer = steps.answered(f);
  if (answer) typedHere(f, answer);
  if (k.mine) typedHere(f, k.since, k.state === 'held');
  else if (before?.mine && before.state === 'held' && f.typed.at < k.since) typedHere(f, before.since);
}
addEventListener('storage', () => show());

// forgetOthers forgets those of ids that a node no longer has.
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

// The fragment of the page's address says what is shown: one session, or all of them ('*'). So the
// browser's Back button works. No element may have this ID: the browser would focus it.
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

// watch asks each node for the screens that the page shows.
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
  // The approved input is typed up to 5 seconds after the approval, which is shown nevertheless.
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

// dim disables the controls that need the session's node while it does not answer. Their tooltips
// say why.
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
// drawn updates what depends on the screen: scrolling, the text field and the announcements.
function drawn(changed) {
  placing ||= requestAnimationFrame(() => { follow(whole); typing.place(); steps.quote(whole); placing = 0; whole = false; });
  speak(changed);
}
let placing = 0, whole = false; // at most one update for each frame of the browser

// The past

function drawPast(f) {
  if (!$('stage').classList.contains('past')) back(); // the lines above the screen are the live ones
  screen.draw({ ...f, full: true }); fit(); speak([]); $('stage').classList.add('past'); show();
}
function showLive() {
  $('stage').classList.remove('past');
  markRow('');
  askWhole();
  show();
}
// askWhole asks for the whole screen: the server sends it for a new watch.
function askWhole() {
  screen.expect();
  const node = state.nodes.get(nodeOf(state.chosen));
  node?.wire.ask({ do: 'watch', large: '', small: [] }).then(() => { node.watched = ''; watch(); }).catch(() => {});
}
