// From what `render` returns to a flat list of nodes in pre-order, and back from a point to a node. Without recursion:
// an app may nest as deep as it likes and gets an error, not a crash.

import { config } from 'trailblaze:sim/config';

const KINDS = ['application', 'keyboard', 'dialog', 'system', 'toast'];
const NO_KIND = -1;
const MOST = 0x7fffffff;
const { isArray } = Array;
const { round } = Math;
const { keys: keysOf } = Object;
const { maxDepth, maxNodes } = config;

const FLAG = 100;
const [BOUNDS, INPUT_TYPE, MAX_TEXT_LENGTH, CHILDREN, WINDOW] = [200, 201, 202, 203, 204];
// What a key means: below FLAG a text property, from FLAG on a yes/no property, else one of the above.
const MEANING = Object.assign(Object.create(null), {
  bounds: BOUNDS, inputType: INPUT_TYPE, maxTextLength: MAX_TEXT_LENGTH, children: CHILDREN, window: WINDOW,
});
config.props.forEach((key, index) => { MEANING[key] = index; });
config.flags.forEach((key, index) => { MEANING[key] = FLAG + index; });
MEANING.class = MEANING.className;

function describe(node) {
  for (const key of ['resourceId', 'text', 'contentDescription', 'className']) {
    if (typeof node[key] === 'string') return `the node with ${key} '${node[key]}'`;
  }
  return 'a node';
}

function bad(node, key, expected) {
  const value = node[key];
  const found = isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : String(value);
  return new TypeError(`'${key}' of ${describe(node)} must be ${expected}, not ${found}`);
}

function whole(node, key) {
  const value = node[key];
  if (typeof value !== 'number' || !(value > -MOST && value < MOST)) throw bad(node, key, 'a whole number');
  return round(value);
}

function boundsOf(node) {
  const sides = node.bounds;
  if (!isArray(sides) || sides.length !== 4) throw bad(node, 'bounds', '[left, top, right, bottom]');
  const out = [0, 0, 0, 0];
  for (let i = 0; i < 4; i++) {
    const side = sides[i];
    // Whole numbers of 32 bits, which is what nearly all are, need no further look.
    if ((side | 0) === side) {
      out[i] = side;
    } else if (typeof side === 'number' && side > -MOST && side < MOST) {
      out[i] = round(side);
    } else {
      throw bad(node, 'bounds', 'four numbers: [left, top, right, bottom]');
    }
  }
  return out;
}

// What a node said when it was last looked at. Values are copied, so that an app may change its nodes in place;
// `out` is what Rust gets: [place, flags on, flags off, input type, longest text, has bounds, l, t, r, b,
// (property, text)…].
function record(node, place, screen) {
  const keys = keysOf(node);
  const values = [];
  let bounds = null;
  let raw = null;
  let on = 0;
  let off = 0;
  let inputType = 0;
  let maxTextLength = 0;
  const out = [place, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const meaning = MEANING[key];
    const value = node[key];
    values[i] = meaning < BOUNDS ? value : undefined;
    if (meaning === undefined || value === null || value === undefined) continue;
    if (meaning < FLAG) {
      const type = typeof value;
      if (type !== 'string' && type !== 'number' && type !== 'boolean') throw bad(node, key, 'a text');
      out.push(meaning, type === 'string' ? value : String(value));
    } else if (meaning < BOUNDS) {
      if (typeof value !== 'boolean') throw bad(node, key, 'true or false');
      const bit = 1 << (meaning - FLAG);
      if (value) on |= bit;
      else off |= bit;
    } else if (meaning === BOUNDS) {
      bounds = boundsOf(node);
      raw = [value[0], value[1], value[2], value[3]];
    } else if (meaning === INPUT_TYPE) {
      inputType = whole(node, key);
    } else if (meaning === MAX_TEXT_LENGTH) {
      maxTextLength = whole(node, key);
    } else if (meaning === CHILDREN && !isArray(value)) {
      throw bad(node, key, 'an array of nodes');
    }
  }
  if (isRoot(place)) bounds ??= screen;
  out[1] = on;
  out[2] = off;
  out[3] = inputType;
  out[4] = maxTextLength;
  if (bounds !== null) {
    out[5] = 1;
    for (let i = 0; i < 4; i++) out[6 + i] = bounds[i];
  }
  return { place, keys, values, raw, bounds, out };
}

// Whether `record` would come out the same. Most nodes are as they were, so this is the path that must be quick.
function isSame(before, node, place) {
  if (before === undefined || before.place !== place) return false;
  const keys = keysOf(node);
  const known = before.keys;
  if (keys.length !== known.length) return false;
  const { values } = before;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (key !== known[i]) return false;
    const value = node[key];
    if (value === values[i]) continue;
    if (key === 'bounds') {
      if (!isArray(value) || !isSameBounds(before.raw, value)) return false;
    } else if (MEANING[key] !== undefined && !(key === 'children' && isArray(value))) {
      return false;
    }
  }
  return true;
}

const isSameBounds = (a, b) =>
  a !== null && b.length === 4 && a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];

function sameOut(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

// Where a node stands: its depth, and for roots the kind of window.
const placeOf = (depth, kind) => depth * 8 + kind + 1;
const isRoot = (place) => place < 8;

function windowKind(node) {
  const kind = KINDS.indexOf(node.window ?? 'application');
  if (kind < 0) throw bad(node, 'window', KINDS.map((name) => `'${name}'`).join(' or '));
  return kind;
}

// Windows are nodes, lowest first. `records` is what Rust gets, one for each of `nodes`; those that are as in
// `before` are the same objects. `screen` is how large the whole screen is, for windows that do not say.
export function flatten(windows, before, screen) {
  const records = [];
  const nodes = [];
  const spans = [];
  let changed = false;
  // The levels above the one that is walked: their lists, how far they are walked, and whose children they are.
  const above = [];
  for (let w = 0; w < windows.length; w++) {
    const first = nodes.length;
    let kind = NO_KIND;
    let depth = 0;
    let list = [windows[w]];
    let next = 0;
    let parent = null;
    for (;;) {
      if (next >= list.length) {
        if (depth === 0) break;
        depth--;
        ({ list, next, parent } = above.pop());
        continue;
      }
      const node = list[next++];
      if (node === null || node === undefined || node === false) continue;
      if (typeof node !== 'object' || isArray(node)) throw noNode(node, parent);
      const index = nodes.length;
      if (depth >= maxDepth) throw new RangeError(`the screen nests deeper than ${maxDepth} levels`);
      if (index >= maxNodes) throw new RangeError(`the screen has more than ${maxNodes} nodes`);
      if (depth === 0) kind = windowKind(node);
      const place = placeOf(depth, depth === 0 ? kind : NO_KIND);
      const old = before[index];
      let now = old;
      if (!isSame(old, node, place)) {
        now = record(node, place, screen);
        // Written otherwise, but the same to look at.
        if (old !== undefined && sameOut(old.out, now.out)) now = old;
        else changed = true;
      }
      nodes[index] = node;
      records[index] = now;
      const children = node.children;
      if (children) {
        above.push({ list, next, parent });
        depth++;
        list = children;
        next = 0;
        parent = node;
      }
    }
    if (nodes.length > first) spans.push({ kind: KINDS[kind], first, end: nodes.length });
  }
  return { records, nodes, spans, changed: changed || records.length !== before.length };
}

function noNode(found, parent) {
  const what = isArray(found) ? 'an array (spread it: ...items)' : typeof found;
  return new TypeError(`${parent ? `'children' of ${describe(parent)}` : 'a window'} must be nodes, not ${what}`);
}

// What is other than in `sent`: the number of records, and [index, out, index, out…].
export function patch(records, sent) {
  const changes = [];
  for (let i = 0; i < records.length; i++) if (records[i] !== sent[i]) changes.push(i, records[i].out);
  return { count: records.length, changes };
}

const contains = (bounds, x, y) =>
  bounds !== null && bounds[0] <= x && x <= bounds[2] && bounds[1] <= y && y <= bounds[3];

// The node that a touch reaches: in the topmost window under the point the last node drawn there that is `wanted`,
// else the last one drawn there.
export function hit({ nodes, records, spans }, x, y, wanted) {
  for (let w = spans.length - 1; w >= 0; w--) {
    const { kind, first, end } = spans[w];
    if (kind === 'toast') continue;
    if (!contains(records[first].bounds, x, y)) {
      if (kind === 'dialog') return { node: null, outside: true };
      continue;
    }
    let last = null;
    for (let i = end - 1; i >= first; i--) {
      if (!contains(records[i].bounds, x, y)) continue;
      const node = nodes[i];
      if (node.isVisibleToUser === false) continue;
      if (wanted(node)) return { node, outside: false };
      last ??= node;
    }
    return { node: last, outside: false };
  }
  return { node: null, outside: false };
}

// The focused node of the topmost window that has one.
export function focused(tree) {
  for (let i = tree.nodes.length - 1; i >= 0; i--) {
    if (tree.nodes[i].isFocused === true) return { node: tree.nodes[i], index: i };
  }
  return null;
}
