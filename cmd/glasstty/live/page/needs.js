// Shows that a session needs a person: in the tab's title and icon and, with permission, in a
// notification.

import { $ } from './dom.js';
import { state } from './state.js';

let before = new Set();

// tell updates the title, the icon and the notifications. needs has a text for each session that
// needs a person.
export function tell(needs) {
  const short = needs.length > 1 ? `${needs.length} sessions wait` : needs[0];
  prefix = needs.length ? `● ${short} — ` : '';
  document.querySelector('link[rel=icon]').href = needs.length ? 'icon-needs.svg' : 'icon.svg';
  title();
  for (const n of needs) if (!before.has(n) && document.hidden && allowed()) new Notification('glasstty', { body: n, tag: n, silent: true });
  before = new Set(needs);
}

let prefix = '', name = '';
// title sets the tab's title; chosen is the name of the session that is shown.
export function title(chosen = name) {
  name = chosen;
  document.title = state.away ? '○ no answer — glasstty' : prefix ? prefix + 'glasstty' : name ? `${name} – glasstty` : 'glasstty';
}

const allowed = () => 'Notification' in window && Notification.permission === 'granted';
const offer = () => { $('notify').hidden = !('Notification' in window) || Notification.permission !== 'default'; };
// After a refusal the button stays, because the person may change the browser's settings.
$('notify').onclick = async () => {
  const got = await Notification.requestPermission();
  $('notify-refused').hidden = got !== 'denied';
  if (got !== 'denied') offer();
};
offer();
