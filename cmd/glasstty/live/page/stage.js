// The large screen: how large its letters are, and which part of it is in view.

import { $ } from './dom.js';
import { mine } from './state.js';
import { Screen } from './screen.js';

export const screen = new Screen($('screen'));

const wide = 0.6021, high = 1.165; // of a cell, in letters' heights
const frame = 13; // pixels around the screen
const smallest = 4, largest = 17, readable = 11, zoomed = 14; // pixels

let zoom = false;

// fit makes every letter as large as the width allows, or as the person wants.
export function fit() {
  if (!screen.cols) return;
  const room = $('one').clientWidth - frame;
  if (room <= 0) return; // it is not shown
  const whole = Math.max(smallest, Math.min(largest, Math.floor(room / (screen.cols * wide) * 8) / 8));
  $('zoom').hidden = whole >= readable;
  const size = (zoom && whole < readable ? zoomed : whole) + 'px';
  $('screen').style.setProperty('--size', size);
  $('above').style.setProperty('--size', Math.max(readable, parseFloat(size)) + 'px');
}
addEventListener('resize', () => { fit(); follow(); });

$('zoom').onclick = () => {
  zoom = !zoom;
  $('zoom').setAttribute('aria-pressed', zoom);
  fit();
  follow(true);
};

// follow keeps the cursor in view while the person types.
export function follow(always = false) {
  if (!always && !mine()) return;
  const stage = $('stage'), cursor = stage.querySelector('.cursor'), margin = 24;
  const left = cursor.offsetLeft, right = left + cursor.offsetWidth + margin;
  if (left - margin < stage.scrollLeft) stage.scrollLeft = left - margin;
  else if (right > stage.scrollLeft + stage.clientWidth) stage.scrollLeft = right - stage.clientWidth;
}

// windowSize returns the rows and columns that the window has room for, in
// letters that can be read.
export function windowSize() {
  const size = Math.max(readable + 1, parseFloat(getComputedStyle($('screen')).fontSize));
  const cols = Math.floor(($('one').clientWidth - frame) / (size * wide));
  const rows = Math.floor((innerHeight - Math.max(0, $('stage').getBoundingClientRect().top) - 60) / (size * high));
  return { rows: Math.max(5, Math.min(200, rows)), cols: Math.max(20, Math.min(300, cols)) };
}
