import { Wire, get } from './wire.js';
import { Screen, drawRow } from './screen.js';
import { keyOf, leaves } from './keys.js';
import { timeline } from './time.js';

const $ = (id) => document.getElementById(id);
const cards = new Map(); // by session: {facts, item, button, mini, …}
let me = { name: '', type: false, grace: 60 };
let chosen = ''; // the session shown large
const screen = new Screen($('screen'));
const past = timeline({ session: () => chosen, draw: drawPast, live: showLive });

const wire = new Wire({
  up(hello) { me = hello; $('state').textContent = hello.type ? 'live' : 'live, for watching only'; screen.clear(); for (const c of cards.values()) c.screen.clear(); watch(); show(); },
  down(why) { $('state').textContent = (why || 'the server is away') + '; trying again …'; show(); },
  message(m) {
    switch (m.t) {
      case 'session': learn(m); break;
      case 'gone': forget(m.id); break;
      case 'none': forgetAll(); break;
      case 'frame': draw(m); break;
    }
  },
});

// What is there

function learn(facts) {
  $('none').hidden = true;
  let card = cards.get(facts.id);
  if (!card) { card = newCard(facts.id); cards.set(facts.id, card); if (!chosen) choose(facts.id); else watch(); }
  card.facts = facts;
  showCard(card);
  if (facts.id === chosen) show();
}

function forget(id) {
  cards.get(id)?.item.remove();
  cards.delete(id);
  if (id === chosen) { chosen = ''; const [next] = cards.keys(); if (next) choose(next); else show(); }
  $('none').hidden = cards.size > 0;
}

function forgetAll() { for (const id of [...cards.keys()]) forget(id); $('none').hidden = false; }

function newCard(id) {
  const item = document.createElement('li'), button = document.createElement('button');
  button.type = 'button'; button.className = 'card';
  const [line, name, pill, sub, mini] = ['span', 'b', 'span', 'span', 'span'].map((t) => document.createElement(t));
  line.className = 'line'; line.append(name, pill);
  sub.className = 'sub';
  mini.className = 'mini'; mini.setAttribute('aria-hidden', 'true');
  const root = document.createElement('span');
  root.className = 'screen';
  mini.append(root);
  button.append(line, sub, mini);
  button.onclick = () => choose(id);
  item.append(button);
  $('list').append(item);
  return { item, button, name, pill, sub, root, screen: new Screen(root), facts: null };
}

function showCard(card) {
  const f = card.facts;
  card.name.textContent = f.name;
  card.sub.textContent = f.title || f.command;
  const [word, kind] = stateOf(f);
  card.pill.textContent = word; card.pill.className = 'pill ' + kind;
  const size = Math.min(8, 268 / (f.cols * 0.6021));
  card.root.style.setProperty('--size', size + 'px');
  card.root.parentNode.style.height = Math.min(170, f.rows * size * 1.165) + 'px';
  card.button.setAttribute('aria-current', f.id === chosen);
}

// stateOf says in a word what a session does, and how that is coloured.
function stateOf(f) {
  if (f.status !== 'running') return f.exit ? [f.status + ', code ' + f.exit, 'failed'] : [f.status, 'ended'];
  if (f.keyboard.state !== 'free') return [f.keyboard.state === 'paused' ? 'paused' : f.keyboard.mine ? 'you type' : f.keyboard.by + ' types', 'held'];
  if (f.held?.length) return ['a held command', 'held'];
  if (f.secret) return ['asks for a password', 'held'];
  return ['running', ''];
}

// The large one

function choose(id) {
  chosen = id;
  screen.clear();
  past.leave();
  for (const c of cards.values()) c.button.setAttribute('aria-current', c.facts?.id === id);
  $('above').replaceChildren(); $('found').replaceChildren(); $('trouble').hidden = true;
  openHistory(false);
  for (const form of ['ask-note', 'ask-end']) $(form).hidden = true;
  watch(); show();
}

function watch() {
  wire?.ask({ do: 'watch', large: chosen, small: [...cards.keys()].filter((id) => id !== chosen) }).catch(() => {});
}

const clock = (t) => new Date(t * 1000).toLocaleTimeString();
const facts = () => cards.get(chosen)?.facts;
const mine = () => facts()?.keyboard.mine && facts()?.keyboard.state === 'held';

function show() {
  const f = facts();
  $('pick').hidden = !!f; $('one').hidden = !f;
  document.title = f ? `${f.name} – glasstty` : 'glasstty';
  if (!f) return;
  $('name').textContent = f.title ? `${f.name}: ${f.title}` : f.name;
  const [word, kind] = stateOf(f);
  $('status').textContent = word; $('status').className = 'pill ' + kind;
  $('program').textContent = [f.program || f.command, f.cwd].filter(Boolean).join(' in ');
  $('typed').textContent = f.typed.at ? `${f.typed.by || 'the agent'} typed last, at ${clock(f.typed.at)}` : 'nobody has typed';
  const alive = f.status === 'running', k = f.keyboard;
  $('holder').textContent = holderText(f);
  $('holder').className = k.state === 'free' ? 'holder' : 'holder held';
  $('take').disabled = !me.type || !alive || mine();
  $('take').textContent = k.state === 'held' && !k.mine ? `Take over from ${k.by}` : 'Take over';
  $('pause').disabled = !me.type || !alive || k.state === 'paused' || (k.state === 'held' && !k.mine);
  $('give').disabled = !me.type || k.state === 'free' || (k.state === 'held' && !k.mine);
  $('give').textContent = k.state === 'paused' ? 'Let the agent go on' : 'Give back';
  $('end').disabled = $('fit').disabled = !me.type || !alive;
  $('ask-secret').hidden = !me.type || !f.secret || (k.state === 'held' && !k.mine);
  if ($('ask-secret').hidden) $('secret').value = '';
  showHeld(f);
  const typing = mine() && alive && !past.on();
  if (typing && $('typing').hidden) { $('typing').hidden = false; $('typing').focus(); }
  if (!typing) $('typing').hidden = true;
  $('leave').hidden = $('send-key').hidden = !typing;
  $('stage').classList.toggle('mine', !!mine());
  past.show(f);
  fitScreen();
}

// Commands of the agent that wait for a yes.
let heldShown = '';
function showHeld(f) {
  const held = f.held || [], now = JSON.stringify([f.id, held, me.type]);
  $('ask-held').hidden = !held.length;
  if (now === heldShown) return;
  heldShown = now;
  $('ask-held').replaceChildren(...held.map((h) => {
    const box = document.createElement('div'), why = document.createElement('p'), line = document.createElement('code');
    box.className = 'ask';
    why.textContent = `The agent wants to run this, which ${h.why.join('; ')}:`;
    line.textContent = h.line || h.text;
    box.append(why, line);
    for (const [word, what, kind] of [['Refuse', 'refuse', 'main'], ['Run it', 'approve', 'danger']]) {
      const b = document.createElement('button');
      b.type = 'button'; b.textContent = word; b.className = kind; b.disabled = !me.type;
      b.onclick = () => ask({ do: what, text: h.text });
      box.append(b);
    }
    return box;
  }));
}

function holderText(f) {
  const k = f.keyboard;
  if (f.status !== 'running') return '';
  const gone = k.gone ? ` They are away: it goes back at ${clock(k.gone)}.` : '';
  if (k.state === 'paused') return `${k.by} paused the agent at ${clock(k.since)}: it may look, not type.` + gone;
  if (k.state === 'held') return (k.mine ? `You have the keyboard since ${clock(k.since)}; the agent cannot type.` : `${k.by} has the keyboard since ${clock(k.since)}.`) + gone;
  return 'The agent has the keyboard.';
}

function draw(f) {
  if (f.id !== chosen) { cards.get(f.id)?.screen.draw(f); return; }
  if (past.on()) return;
  const changed = screen.draw(f);
  if (f.full) fitScreen();
  speak(changed);
}

// Every letter is drawn as large as the width allows.
function fitScreen() {
  if (!screen.cols) return;
  const room = $('session').clientWidth - 46;
  const size = Math.max(9, Math.min(17, Math.floor(room / (screen.cols * 0.6021) * 4) / 4));
  $('screen').style.setProperty('--size', size + 'px');
  $('above').style.setProperty('--size', size + 'px');
}
addEventListener('resize', fitScreen);

// For who listens: what changed, when it has settled.
let speaking = 0;
const unsaid = new Set();
function speak(rows) {
  for (const r of rows) unsaid.add(r);
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    $('text').textContent = screen.text();
    const words = [...unsaid].sort((a, b) => a - b).map((r) => screen.texts[r]?.trim()).filter(Boolean);
    unsaid.clear();
    if (words.length) $('said').textContent = words.slice(-8).join('\n');
  }, 400);
}

// The past

function drawPast(f) { screen.clear(); screen.draw({ ...f, full: true }); fitScreen(); speak([]); $('stage').classList.add('past'); show(); }
function showLive() { $('stage').classList.remove('past'); screen.clear(); watchAgain(); show(); }
function watchAgain() { const id = chosen; wire.ask({ do: 'watch', large: '', small: [] }).then(() => { if (chosen === id) watch(); }).catch(() => {}); }

function openHistory(open) {
  $('history').hidden = !open;
  $('look').setAttribute('aria-expanded', open);
}
$('look').onclick = async () => {
  openHistory($('history').hidden);
  if ($('history').hidden) return;
  await tried(async () => {
    const got = await get('lines', { id: chosen, rows: 1000 });
    $('above').style.setProperty('--cols', got.cols);
    $('above').replaceChildren(...got.lines.map((l) => drawRow(l, got.inks || [])));
    if (!got.lines.length) $('above').textContent = 'Nothing has left the screen yet.';
    $('above').scrollTop = $('above').scrollHeight;
  });
};
$('find').onsubmit = (e) => {
  e.preventDefault();
  tried(async () => {
    const { hits } = await get('search', { id: chosen, q: $('query').value });
    const n = hits.reduce((sum, h) => sum + h.hits.length, 0);
    const head = document.createElement('p');
    head.textContent = n ? `${n} line${n > 1 ? 's' : ''} found` : 'Nothing found.';
    $('found').replaceChildren(head, ...hits.map(drawHit));
  });
};
function drawHit(hit) {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  hit.text.forEach((text, i) => {
    const n = hit.line + i, line = document.createElement(hit.hits.includes(n) ? 'mark' : 'span');
    line.textContent = `${n}  ${text}`;
    pre.append(line, '\n');
  });
  return pre;
}

// Stepping in

async function tried(what) {
  try { await what(); $('trouble').hidden = true; } catch (err) {
    $('trouble').textContent = err.message; $('trouble').hidden = false;
  }
}
const ask = (request) => tried(() => wire.ask({ id: chosen, ...request }));

$('take').onclick = () => ask({ do: 'take', force: facts()?.keyboard.state === 'held' });
$('pause').onclick = () => ask({ do: 'pause' });
$('give').onclick = () => {
  if (facts()?.keyboard.state === 'paused') { ask({ do: 'give' }); return; }
  $('ask-note').hidden = false; $('note').focus();
};
$('ask-note').onsubmit = (e) => { e.preventDefault(); ask({ do: 'give', text: $('note').value }); $('note').value = ''; $('ask-note').hidden = true; $('take').focus(); };
$('keep').onclick = () => { $('ask-note').hidden = true; $('typing').focus(); };
$('end').onclick = () => { $('ask-end').hidden = false; $('let-live').focus(); };
$('ask-end').onsubmit = (e) => { e.preventDefault(); $('ask-end').hidden = true; ask({ do: 'end' }); };
$('let-live').onclick = () => { $('ask-end').hidden = true; $('end').focus(); };
$('ask-secret').onsubmit = (e) => { e.preventDefault(); ask({ do: 'secret', text: $('secret').value }); $('secret').value = ''; };
$('fit').onclick = () => {
  const size = parseFloat(getComputedStyle($('screen')).fontSize);
  const cols = Math.floor(($('session').clientWidth - 46) / (size * 0.6021));
  const rows = Math.floor((innerHeight - $('stage').getBoundingClientRect().top - 60) / (size * 1.165));
  ask({ do: 'resize', rows: Math.max(5, Math.min(200, rows)), cols: Math.max(20, Math.min(300, cols)) });
};
$('send-key').onsubmit = (e) => { e.preventDefault(); const k = $('key').value.trim(); if (k) press([{ k }]); };
$('touch').onclick = (e) => { const k = e.target.dataset?.key; if (k) { press([{ k }]); $('typing').focus(); } };

// Typing: keys pressed within one turn of the server go together, in order.
let pressed = [], sending = false;
function press(keys) {
  pressed.push(...keys);
  if (!sending) flush();
}
async function flush() {
  sending = true;
  while (pressed.length) {
    const keys = pressed.splice(0, 500), id = chosen;
    try { await wire.ask({ do: 'type', id, keys }); $('trouble').hidden = true; } catch (err) {
      pressed = []; $('trouble').textContent = err.message; $('trouble').hidden = false;
    }
  }
  sending = false;
}
const typing = $('typing');
typing.onkeydown = (e) => {
  if (leaves(e)) { e.preventDefault(); $('give').focus(); return; }
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'v') return; // the browser pastes
  const key = keyOf(e);
  if (!key) return;
  e.preventDefault();
  taken = true;
  press([key]);
};
// A key that was taken must not come a second time as text.
let taken = false;
typing.onkeyup = () => { taken = false; };
typing.addEventListener('beforeinput', (e) => { if (taken) e.preventDefault(); });
// What comes without keys: input methods, and keyboards on glass.
typing.addEventListener('input', (e) => { if (!e.isComposing) { if (typing.value) press([{ t: typing.value }]); typing.value = ''; } });
typing.addEventListener('compositionend', () => { if (typing.value) press([{ t: typing.value }]); typing.value = ''; });
typing.addEventListener('paste', (e) => {
  e.preventDefault();
  const text = e.clipboardData.getData('text');
  if (text) ask({ do: 'paste', text });
});

// The mouse, for programs that have asked for it.
let held = 0;
const mods = (e) => (e.shiftKey ? 1 : 0) | (e.altKey ? 2 : 0) | (e.ctrlKey ? 4 : 0);
function point(e, a, b) {
  if (!screen.mouse || !mine()) return;
  e.preventDefault();
  typing.focus();
  ask({ do: 'mouse', mouse: { a, b, ...screen.cell(e), m: mods(e) } });
}
typing.addEventListener('mousedown', (e) => { held = e.button + 1; point(e, 0, held); });
addEventListener('mouseup', (e) => { if (held) { point(e, 1, held); held = 0; } });
typing.addEventListener('wheel', (e) => point(e, 0, e.deltaY < 0 ? 4 : 5), { passive: false });
