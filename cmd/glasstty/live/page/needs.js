// Somebody is needed: the tab's title and icon say so, and with permission a notification.

import { $ } from './dom.js';
import { state } from './state.js';

let before = new Set();

// tell is given what needs a person now.
export function tell(needs) {
  const short = needs.length > 1 ? `${needs.length} sessions wait` : needs[0];
  prefix = needs.length ? `● ${short} — ` : '';
  document.querySelector('link[rel=icon]').href = needs.length ? 'icon-needs.svg' : 'icon.svg';
  title();
  for (const n of needs) if (!before.has(n) && document.hidden && allowed()) new Notification('glasstty', { body: n, tag: n, silent: true });
  before = new Set(needs);
}

let prefix = '', name = '';
// title sets the tab's title; chosen is the session that is shown.
export function title(chosen = name) {
  name = chosen;
  document.title = state.away ? '○ no answer — glasstty' : prefix ? prefix + 'glasstty' : name ? `${name} – glasstty` : 'glasstty';
}

const allowed = () => 'Notification' in window && Notification.permission === 'granted';
const offer = () => { $('notify').hidden = !('Notification' in window) || Notification.permission !== 'default'; };
// A browser that has refused keeps the button: its settings may change.
$('notify').onclick = async () => {
  const got = await Notification.requestPermission();
  $('notify-refused').hidden = got !== 'denied';
  if (got !== 'denied') offer();
};
offer();
