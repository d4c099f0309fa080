// Helpers for the other files. Text from programs and agents is always set as text, never as
// markup.

export const $ = (id) => document.getElementById(id);

// el returns a new element with properties and children.
export function el(tag, props = {}, ...children) {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
}

// clock shows Unix seconds as a time of day, with the day when it is not today.
export function clock(t) {
  const d = new Date(t * 1000);
  return (d.toDateString() === new Date().toDateString() ? '' : d.toLocaleDateString() + ' ') + d.toLocaleTimeString();
}

// onGlass reports whether the device has a touch screen, and so an on-screen keyboard.
export const onGlass = () => matchMedia('(pointer: coarse)').matches;

// trouble shows an error to the person, or hides it if text is ''.
export function trouble(text = '') {
  $('trouble-text').textContent = text;
  $('trouble').hidden = !text;
}
$('trouble-read').onclick = () => trouble();
