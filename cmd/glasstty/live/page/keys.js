// Keys of a browser as the names that the server knows; what they mean to the
// program is the server's to say.

const names = {
  Enter: 'enter', Tab: 'tab', Escape: 'escape', Backspace: 'backspace', Delete: 'delete', Insert: 'insert',
  ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right',
  Home: 'home', End: 'end', PageUp: 'pageup', PageDown: 'pagedown',
};
const characters = { '+': 'plus', '*': 'star', ' ': 'space' };

// keyOf returns {k: name} or {t: text} for a keydown, null for what is no key
// of its own: modifiers, and what an input method composes.
export function keyOf(e) {
  if (e.isComposing || e.key === 'Dead' || e.key === 'Process' || e.key === 'Unidentified') return null;
  const single = [...e.key].length === 1;
  // AltGr types characters: with it, ctrl and alt are no modifiers.
  const graph = e.getModifierState?.('AltGraph');
  if (single && ((!e.ctrlKey && !e.altKey && !e.metaKey) || graph)) return { t: e.key };
  const name = names[e.key] ?? (single ? nameOf(e.key) : /^F([1-9]|1\d|2[0-4])$/.test(e.key) ? e.key.toLowerCase() : null);
  if (name === null || e.metaKey) return null;
  return { k: (e.ctrlKey ? 'ctrl+' : '') + (e.altKey ? 'alt+' : '') + (e.shiftKey ? 'shift+' : '') + name };
}

const nameOf = (char) => characters[char] ?? char.toLowerCase();

// withModifiers returns a key with the modifiers of a set ("ctrl", "alt") added.
export function withModifiers(key, set) {
  if (!set.size) return key;
  const name = key.k ?? nameOf(key.t), mods = ['ctrl', 'alt'].filter((m) => set.has(m) && !name.includes(m + '+'));
  return { k: mods.map((m) => m + '+').join('') + name };
}

// leaves reports whether a keydown gives the focus back to the page.
export const leaves = (e) => e.ctrlKey && e.altKey && e.code === 'KeyL';
