// Converts a browser's keys to the names that the server knows. The server encodes them for the
// program.

const names = {
  Enter: 'enter', Tab: 'tab', Escape: 'escape', Backspace: 'backspace', Delete: 'delete', Insert: 'insert',
  ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right',
  Home: 'home', End: 'end', PageUp: 'pageup', PageDown: 'pagedown',
};
const characters = { '+': 'plus', '*': 'star', ' ': 'space' };

// keyOf returns {k: name} or {t: text} for a keydown event. It returns null for modifiers, and for
// keys that an input method handles.
export function keyOf(e) {
  if (e.isComposing || e.key === 'Dead' || e.key === 'Process' || e.key === 'Unidentified') return null;
  const single = [...e.key].length === 1;
  // AltGr types characters. Some systems report it as ctrl and alt, which do not count then.
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

// leaves reports whether a keydown is Ctrl+Alt+L, which moves the focus between the terminal and the page.
export const leaves = (e) => e.ctrlKey && e.altKey && e.code === 'KeyL';
