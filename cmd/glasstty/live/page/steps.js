// Stepping in: who has the keyboard, and the buttons and questions about it.

import { $, el, clock, trouble } from './dom.js';
import { state, facts, alive, mine } from './state.js';
import { windowSize } from './stage.js';

let wire = null;
export function begin(w) { wire = w; }

async function ask(request) {
  try { await wire.ask({ id: state.chosen, ...request }); trouble(); } catch (err) { trouble(err.message); }
}

// showSteps shows who has the keyboard of a session, and what may be done.
// past says that a moment of the past is looked at instead.
export function showSteps(f, past) {
  const k = f.keyboard, may = state.me.type, theirs = k.state === 'held' && !k.mine;
  $('holder').textContent = past ? 'This is the past: the screen as it was. Nothing can be typed here; go back to live first.' : holderText(f);
  $('holder').className = k.state === 'free' && !past ? 'holder' : 'holder held';
  $('take').parentNode.classList.toggle('mine', mine());
  $('take').disabled = !may || !alive() || !!past;
  $('take').textContent = theirs ? `Take over from ${k.by === 'a person' ? 'another person' : k.by}` : mine() ? 'Type' : 'Take over';
  $('pause').disabled = !may || !alive() || !!past || k.state === 'paused' || theirs;
  $('give').disabled = !may || k.state === 'free' || theirs;
  $('give').textContent = k.state === 'paused' ? 'Let the agent go on' : 'Give back';
  $('end').disabled = $('fit').disabled = !may || !alive() || !!past;
  $('end').hidden = $('give').hidden = $('take').hidden = $('pause').hidden = $('fit').hidden = !alive();
  $('forget').hidden = alive(); $('forget').disabled = !may;
  $('ask-secret').hidden = !may || !f.secret || theirs;
  if ($('ask-secret').hidden) $('secret').value = '';
  if ($('give').disabled) $('ask-note').hidden = true;
  if ($('end').disabled) $('ask-end').hidden = true;
  showHeld(f);
}

// other names somebody else, who may have no name.
const other = (by, me) => (by !== 'a person' ? by : me ? 'You' : 'Another person');

function holderText(f) {
  const k = f.keyboard;
  if (f.status !== 'running') return f.ended ? `It was ${f.ended}.` : `The program has ended${f.exit ? ` with code ${f.exit}` : ''}.`;
  const gone = k.gone ? ` They are away: it goes back at ${clock(k.gone)}.` : '';
  if (k.state === 'paused') return `${other(k.by, k.mine)} paused the agent at ${clock(k.since)}: it may look, not type.${gone}`;
  if (k.state !== 'held') return 'The agent has the keyboard.';
  return (k.mine ? `You have the keyboard since ${clock(k.since)}; the agent cannot type.` : `${other(k.by)} has the keyboard since ${clock(k.since)}.`) + gone;
}

// Commands of the agent that wait for a yes.
let heldShown = '';
function showHeld(f) {
  const held = f.held ?? [], now = JSON.stringify([f.id, held, state.me.type]);
  $('ask-held').hidden = !held.length;
  if (now === heldShown) return;
  heldShown = now;
  $('ask-held').replaceChildren(...held.map((h) => el('div', { className: 'ask' },
    el('p', { textContent: `The agent wants to run this${h.line.length > longText ? ` (${h.line.length} characters: read all of it)` : ''}, which ${h.why.join('; ')}:` }),
    el('code', { tabIndex: 0 }, ...marked(h.line, h.what ?? [])),
    ...[['Refuse', 'refuse', 'main'], ['Run it', 'approve', 'danger']].map(([textContent, what, className]) =>
      el('button', { type: 'button', textContent, className, disabled: !state.me.type, onclick: () => ask({ do: what, text: h.text }) })))));
  showMarks();
}

// marked marks the parts of a text that were found dangerous.
const longText = 300; // characters
function marked(text, parts) {
  const at = parts.map((p) => p.replace(/…$/, '')).filter(Boolean).map((p) => [text.indexOf(p), p]).filter(([i]) => i >= 0).sort((a, b) => a[0] - b[0]);
  const out = [];
  let from = 0;
  for (const [i, p] of at) {
    if (i < from) continue;
    out.push(text.slice(from, i), el('mark', { textContent: p }));
    from = i + p.length;
  }
  return [...out, text.slice(from)];
}

// showMarks brings the first part that was found into view.
function showMarks() {
  for (const code of $('ask-held').querySelectorAll('code')) {
    const mark = code.querySelector('mark');
    if (mark) code.scrollTop = mark.offsetTop - code.offsetTop - code.clientHeight / 2;
  }
}

// closeQuestions takes back what was asked about another session.
export function closeQuestions() {
  for (const form of ['ask-note', 'ask-end']) $(form).hidden = true;
  $('note').value = $('secret').value = '';
  trouble();
}

// One question is asked at a time, and Escape takes it back.
const question = (id, focus) => () => {
  for (const form of ['ask-note', 'ask-end']) $(form).hidden = form !== id;
  $(id).hidden = false; $(focus).focus();
};
for (const [form, back] of [['ask-note', 'give'], ['ask-end', 'end']]) {
  $(form).addEventListener('keydown', (e) => { if (e.key === 'Escape') { $(form).hidden = true; $(back).focus(); } });
}
for (const b of ['take', 'pause', 'fit', 'look']) $(b).addEventListener('click', () => { $('ask-end').hidden = true; });
const answer = (id, back, then) => (e) => { e.preventDefault(); $(id).hidden = true; $(back).focus(); then?.(); };

$('take').onclick = () => (mine() && !$('typing').hidden ? $('typing').focus() : ask({ do: 'take', force: facts()?.keyboard.state === 'held' }));
$('pause').onclick = () => ask({ do: 'pause' });
$('give').onclick = () => { if (facts()?.keyboard.state === 'paused') ask({ do: 'give' }); else question('ask-note', 'note')(); };
$('ask-note').onsubmit = answer('ask-note', 'take', () => { ask({ do: 'give', text: $('note').value }); $('note').value = ''; });
$('keep').onclick = answer('ask-note', 'typing');
$('end').onclick = () => {
  const f = facts();
  $('end-what').textContent = `End ${f.program || f.command} in ${f.name}, and all that it has started?`;
  question('ask-end', 'let-live')();
};
$('forget').onclick = () => ask({ do: 'forget' });
$('ask-end').onsubmit = answer('ask-end', 'end', () => ask({ do: 'end' }));
$('let-live').onclick = answer('ask-end', 'end');
$('ask-secret').onsubmit = (e) => { e.preventDefault(); ask({ do: 'secret', text: $('secret').value }); $('secret').value = ''; };
$('fit').onclick = () => ask({ do: 'resize', ...windowSize() });
