// For screen readers: the screen as text, and announcements of its changes once it has settled.

import { $ } from './dom.js';
import { screen } from './stage.js';

const quiet = 400, patience = 3000; // milliseconds after the last and after the first change
const mostRows = 8, mostText = 400; // of one announcement

let timer = 0, first = 0;
const unsaid = new Set();

// speak schedules the announcement of the rows that have changed.
export function speak(rows) {
  for (const r of rows) unsaid.add(r);
  const now = performance.now();
  first ||= now;
  clearTimeout(timer);
  timer = setTimeout(say, Math.max(0, Math.min(quiet, first + patience - now)));
}

function say() {
  first = 0;
  $('text').textContent = screen.text();
  const rows = [...unsaid].sort((a, b) => a - b), words = rows.map((r) => screen.texts[r]?.trim()).filter(Boolean);
  unsaid.clear();
  if (!words.length || !$('tell').checked) return;
  // If most rows changed, the program has drawn a new screen: only its first changed row is read.
  const text = rows.length > mostRows && rows.length > screen.rows / 2 ? `The screen has changed. ${words[0]}` : words.slice(-mostRows).join('\n');
  $('said').textContent = text.slice(0, mostText);
}
