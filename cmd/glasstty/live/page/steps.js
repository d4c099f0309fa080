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
export function showSteps(f) {
  const k = f.keyboard, may = state.me.type, theirs = k.state === 'held' && !k.mine;
  $('holder').textContent = holderText(f);
  $('holder').className = k.state === 'free' ? 'holder' : 'holder held';
  $('take').parentNode.classList.toggle('mine', mine());
  $('take').disabled = !may || !alive();
  $('take').textContent = theirs ? `Take over from ${k.by}` : mine() ? 'Type' : 'Take over';
  $('pause').disabled = !may || !alive() || k.state === 'paused' || theirs;
  $('give').disabled = !may || k.state === 'free' || theirs;
  $('give').textContent = k.state === 'paused' ? 'Let the agent go on' : 'Give back';
  $('end').disabled = $('fit').disabled = !may || !alive();
  $('ask-secret').hidden = !may || !f.secret || theirs;
  if ($('ask-secret').hidden) $('secret').value = '';
  if ($('give').disabled) $('ask-note').hidden = true;
  if ($('end').disabled) $('ask-end').hidden = true;
  showHeld(f);
}

function holderText(f) {
  const k = f.keyboard;
  if (f.status !== 'running') return f.ended ? `It was ${f.ended}.` : `The program has ended${f.exit ? ` with code ${f.exit}` : ''}.`;
  const gone = k.gone ? ` They are away: it goes back at ${clock(k.gone)}.` : '';
  if (k.state === 'paused') return `${k.by} paused the agent at ${clock(k.since)}: it may look, not type.${gone}`;
  if (k.state !== 'held') return 'The agent has the keyboard.';
  return (k.mine ? `You have the keyboard since ${clock(k.since)}; the agent cannot type.` : `${k.by} has the keyboard since ${clock(k.since)}.`) + gone;
}

// Commands of the agent that wait for a yes.
let heldShown = '';
function showHeld(f) {
  const held = f.held ?? [], now = JSON.stringify([f.id, held, state.me.type]);
  $('ask-held').hidden = !held.length;
  if (now === heldShown) return;
  heldShown = now;
  $('ask-held').replaceChildren(...held.map((h) => el('div', { className: 'ask' },
    el('p', { textContent: `The agent wants to run this, which ${h.why.join('; ')}:` }),
    el('code', { textContent: h.line }),
    ...[['Refuse', 'refuse', 'main'], ['Run it', 'approve', 'danger']].map(([textContent, what, className]) =>
      el('button', { type: 'button', textContent, className, disabled: !state.me.type, onclick: () => ask({ do: what, text: h.text }) })))));
}

// closeQuestions takes back what was asked about another session.
export function closeQuestions() {
  for (const form of ['ask-note', 'ask-end']) $(form).hidden = true;
  $('note').value = $('secret').value = '';
  trouble();
}

const question = (id, focus) => () => { $(id).hidden = false; $(focus).focus(); };
const answer = (id, back, then) => (e) => { e.preventDefault(); $(id).hidden = true; $(back).focus(); then?.(); };

$('take').onclick = () => (mine() && !$('typing').hidden ? $('typing').focus() : ask({ do: 'take', force: facts()?.keyboard.state === 'held' }));
$('pause').onclick = () => ask({ do: 'pause' });
$('give').onclick = () => { if (facts()?.keyboard.state === 'paused') ask({ do: 'give' }); else question('ask-note', 'note')(); };
$('ask-note').onsubmit = answer('ask-note', 'take', () => { ask({ do: 'give', text: $('note').value }); $('note').value = ''; });
$('keep').onclick = answer('ask-note', 'typing');
$('end').onclick = question('ask-end', 'let-live');
$('ask-end').onsubmit = answer('ask-end', 'end', () => ask({ do: 'end' }));
$('let-live').onclick = answer('ask-end', 'end');
$('ask-secret').onsubmit = (e) => { e.preventDefault(); ask({ do: 'secret', text: $('secret').value }); $('secret').value = ''; };
$('fit').onclick = () => ask({ do: 'resize', ...windowSize() });
