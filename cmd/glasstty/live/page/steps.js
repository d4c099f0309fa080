// Stepping in: who has the keyboard, the buttons to take and give it, and the questions to the person.

import { $, el, clock, onGlass, trouble } from './dom.js';
import { state, away, facts, alive, inOtherTab, mine, sentence, typist, whoHolds } from './state.js';
import { nodeOf } from './wire.js';
import { firstRow, screen, windowSize } from './stage.js';

let wire = null;
export function begin(w) { wire = w; }

// ask sends a request for the chosen session, and returns whether the server has done it. Until then,
// the button that was pressed is shown as busy.
async function ask(request, button) {
  const id = state.chosen;
  button?.setAttribute('aria-busy', true);
  try {
    await wire.ask({ id, ...request });
    if (id === state.chosen) trouble();
    return true;
  } catch (err) {
    if (id === state.chosen) trouble(err.message);
    return false;
  } finally {
    button?.removeAttribute('aria-busy');
  }
}

// showSteps shows who has the keyboard of a session, and what the person may do. past is true while a
// moment of the past is shown.
export function showSteps(f, past) {
  const k = f.keyboard, gone = away(), may = typist() && !gone, theirs = k.state === 'held' && !k.mine, paused = k.state === 'paused';
  $('holder').textContent = past ? 'This is the past. Nothing can be typed here; go back to live first.' : gone ? awayText() : holderText(f);
  $('holder').className = k.state === 'free' && !past && !gone ? 'holder' : 'holder held';
  $('take').disabled = !may || !alive() || !!past;
  $('take').setAttribute('aria-label', theirs ? `Take over from ${inOtherTab(f) ? 'your other tab' : whoHolds(f)}` : 'Take over');
  $('who').textContent = alive() ? `keyboard: ${whoText(f)}` : '';
  $('who').className = k.state === 'held' ? 'person' : 'agent';
  $('pause').disabled = !may || !alive() || !!past || theirs;
  $('pause').textContent = paused ? 'Resume' : 'Pause';
  $('pause').setAttribute('aria-label', paused ? 'Resume: let the agent go on' : 'Pause the agent');
  $('give').disabled = !may || !mine();
  $('end').disabled = $('fit').disabled = !may || !alive() || !!past;
  const at = document.activeElement, within = $('one').contains(at);
  $('give').hidden = !mine();
  $('pause').hidden = $('end').hidden = $('fit').hidden = !alive();
  $('take').hidden = !alive() || mine(); // the button that gives it back is shown instead
  $('forget').hidden = alive(); $('forget').disabled = !may;
  for (const b of $('take').parentNode.querySelectorAll('button')) b.title = gone && b.disabled ? gone : b.ariaLabel ?? '';
  $('ask-secret').hidden = !typist() || !f.secret || theirs;
  $('secret').disabled = !may;
  if ($('ask-secret').hidden && $('secret').value) {
    $('secret').value = '';
    trouble('The program does not ask for the password any more, or somebody else answers. What you had typed was not sent.');
  }
  if ($('give').disabled) $('ask-note').hidden = true;
  if ($('end').disabled) $('ask-end').hidden = true;
  showHeld(f);
  if (within && !at.checkVisibility()) [hand(), $('look')].find((b) => b.checkVisibility())?.focus({ preventScroll: true });
  quote(true);
}

// hand returns the button that takes or gives back the keyboard.
const hand = () => $(mine() ? 'give' : 'take');

// quote shows the cursor's row above the field for a password. If move is true, it puts the questions
// where they do not cover that row.
export function quote(move) {
  const asked = screen.line() || 'The program asks for a password.', shown = $('secret-line');
  if (!$('ask-secret').hidden && shown.textContent !== asked && !$('stage').classList.contains('past')) {
    shown.textContent = asked;
    if ($('secret').value) { $('secret').value = ''; trouble('The program asks something else now. What you had typed was not sent.'); }
  }
  if (!move) return;
  const cursor = $('screen').querySelector('.cursor'), stage = $('stage');
  const row = firstRow() + cursor.offsetTop - stage.scrollTop;
  const low = row < stage.clientHeight / 2;
  if (low !== $('asks').classList.contains('low')) { $('asks').classList.toggle('low', low); unsteady(); }
}

// whoText names who has the keyboard.
function whoText(f) {
  const { keyboard: k, agent } = f;
  if (k.state === 'paused') return 'nobody, paused';
  if (k.state !== 'held') return agent || 'the agent';
  return whoHolds(f);
}

function holderText(f) {
  const k = f.keyboard, since = clock(k.since);
  if (f.status !== 'running') return endText(f);
  const gone = k.gone ? ` They are away: it goes back at ${clock(k.gone)}.` : '';
  const tab = inOtherTab(f), who = sentence(f) + (tab ? ',' : '');
  if (k.state === 'paused') return `${who} paused the agent at ${since}. It can look, not type.${gone}`;
  if (k.state !== 'held') return `${f.agent || 'The agent'} has the keyboard.`;
  if (k.mine) return `You have the keyboard since ${since}. ${onGlass() ? '' : 'Ctrl+Alt+L leaves.'}`;
  return `${who} ${tab ? 'have' : 'has'} the keyboard since ${since}.${gone}`;
}

// awayText describes a session whose node does not answer.
const awayText = () => `${nodeOf(state.chosen) || 'The server'} does not answer. ${mine() ? 'What you type now may be lost.' : 'This is how it was.'}`;

// endText describes how a session has ended.
const endedHere = new Set(); // creation times of the sessions that this page has ended
function endText(f) {
  const at = clock(f.active);
  if (endedHere.has(f.created) && /^ended by (?!the server)/.test(f.ended)) return `You ended it at ${at}.`;
  if (f.ended) return `${f.ended[0].toUpperCase()}${f.ended.slice(1)}, at ${at}.`;
  return `The program ended at ${at}${f.exit ? `, with code ${f.exit}` : ''}.`;
}

// showHeld shows the oldest held command of the agent, or none while the program asks for a
// password.
let heldShown = '';
function showHeld(f) {
  const h = $('ask-secret').hidden ? f.held?.[0] : null, may = typist() && !away(), first = firstOf(f.keyboard), now = JSON.stringify([f.id, h, may, first]);
  $('ask-held').hidden = !h;
  if (now !== heldShown) {
    heldShown = now;
    const focused = $('ask-held').contains(document.activeElement);
    $('ask-held').replaceChildren(...h ? [el('div', { className: 'ask' },
      el('p', {}, el('b', { textContent: `${reason(h)} Run it?` }), h.refused ? ` ${h.refused.by} refused this or something like it at ${clock(h.refused.at)}.` : '', ` ${f.agent || 'The agent'} wants to run${h.refused ? ' it again' : ''}${h.line.length > longText ? ` ${h.line.length} characters: read all of them` : ''}:`),
      el('code', { tabIndex: 0 }, ...marked(h.line, h.what ?? [])),
      ...[['Refuse', 'refuse', 'main'], ['Run it', 'approve', 'danger']].map(([textContent, what, className]) =>
        el('button', { type: 'button', textContent, className, disabled: !may || first && what === 'approve', onclick: (e) => ask({ do: what, text: h.text }, e.target) })),
      el('small'))] : []);
    if (focused && h) $('ask-held').querySelector('button:not(:disabled)')?.focus({ preventScroll: true });
    showMarks();
    unsteady();
  }
  if (h) $('ask-held').querySelector('small').textContent = [first, f.held.length > 1 ? `${f.held.length - 1} more to answer.` : ''].join(' ');
}

// firstOf returns what the person must do before the agent's command can be typed, or ''.
function firstOf(k) {
  if (k.state === 'free') return '';
  return k.state === 'paused' ? 'To run it, resume the agent first.' : k.mine ? 'To run it, give the keyboard back first.' : 'Somebody else has the keyboard.';
}

// A click on a held command counts only if the form has not changed for a moment: it may just have
// appeared or moved under the pointer, or it may now show another command.
const steadyAfter = 800; // milliseconds
let steadying = 0;
function unsteady() {
  $('asks').classList.add('unsteady');
  clearTimeout(steadying);
  steadying = setTimeout(() => $('asks').classList.remove('unsteady'), steadyAfter);
}
new ResizeObserver(() => { unsteady(); if (facts()) quote(true); }).observe($('asks')); // a notice must not cover the cursor either
$('ask-held').addEventListener('click', (e) => { if ($('asks').classList.contains('unsteady')) e.stopPropagation(); }, true);

// reason returns why a command is held, as a sentence.
function reason(h) {
  const why = [...new Set(h.why.map((w) => w.replace(/^by ".*?" /, '')))].join('; and ');
  return why ? why[0].toUpperCase() + why.slice(1) + '.' : h.refused ? '' : 'This may do harm.';
}

// marked returns text as nodes, with the dangerous parts marked.
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

// showMarks scrolls to the first marked part.
function showMarks() {
  for (const code of $('ask-held').querySelectorAll('code')) {
    const mark = code.querySelector('mark');
    if (mark) code.scrollTop = mark.offsetTop - code.offsetTop - code.clientHeight / 2;
  }
}

// closeQuestions closes the questions about the previous session.
export function closeQuestions() {
  for (const form of ['ask-note', 'ask-end']) $(form).hidden = true;
  $('note').value = $('secret').value = '';
  trouble();
}

// At most one question is open, and Escape closes it.
const question = (id, focus) => () => {
  for (const form of ['ask-note', 'ask-end']) $(form).hidden = form !== id;
  $(id).hidden = false; $(focus).focus();
};
for (const [form, back] of [['ask-note', 'give'], ['ask-end', 'end']]) {
  $(form).addEventListener('keydown', (e) => { if (e.key === 'Escape') { $(form).hidden = true; $(back).focus(); } });
}
for (const b of ['take', 'pause', 'fit', 'look']) $(b).addEventListener('click', () => { $('ask-end').hidden = true; });
const answer = (id, back, then) => (e) => { e.preventDefault(); $(id).hidden = true; $(back).focus(); then?.(); };

$('take').onclick = (e) => ask({ do: 'take', force: facts()?.keyboard.state === 'held' }, e.target);
$('pause').onclick = (e) => ask({ do: facts()?.keyboard.state === 'paused' ? 'give' : 'pause' }, e.target);
$('give').onclick = question('ask-note', 'note');
$('ask-note').onsubmit = answer('ask-note', 'give', async () => { if (await ask({ do: 'give', text: $('note').value }, $('give'))) $('note').value = ''; });
$('keep').onclick = answer('ask-note', 'typing');
$('end').onclick = () => {
  const f = facts();
  $('end-what').textContent = `End ${f.program || f.command} in ${f.name}, and all that it has started?`;
  question('ask-end', 'let-live')();
};
$('forget').onclick = (e) => ask({ do: 'forget' }, e.target);
$('ask-end').onsubmit = answer('ask-end', 'end', async () => {
  const { created } = facts();
  endedHere.add(created);
  if (!await ask({ do: 'end' }, $('end'))) endedHere.delete(created);
});
$('let-live').onclick = answer('ask-end', 'end');
// answered returns, once, the time from which input is this page's answer to a question for a
// password, or 0 if it has not answered one.
const answers = new Map(); // by session ID: when the last input before the answer was typed
export function answered(f) {
  const before = answers.get(f.id);
  if (!(f.typed.at > before)) return 0;
  answers.delete(f.id);
  return before + 1e-6; // the server counts microseconds
}
$('ask-secret').onsubmit = (e) => { e.preventDefault(); answers.set(state.chosen, facts().typed.at ?? 0); ask({ do: 'secret', text: $('secret').value }); $('secret').value = ''; hand().focus({ preventScroll: true }); };
$('fit').onclick = (e) => ask({ do: 'resize', ...windowSize() }, e.target);
