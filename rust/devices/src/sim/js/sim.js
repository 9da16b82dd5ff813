// The phone: what is in front, what is due, and how an action becomes events. Each action and each timer is a
// transaction: when the app throws, everything is as it was before.

import { random, time } from 'trailblaze:sim/world';
import { flatten, focused, hit, patch } from 'trailblaze:sim/tree';
import { held, launcher, toast } from 'trailblaze:sim/windows';
import { entries } from 'trailblaze:sim/apps';

const TOAST_MS = 2000;
// Firings in one call into this module: the caller's time limit is for the app, not for a long wait.
const BATCH = 500;
const MOST_AT_ONE_INSTANT = 10_000;
const MOST_LINKS = 100;

// Arrays in here are replaced, never changed, so that a copy of this object is a snapshot.
let sim = {
  front: null,
  timers: [],
  toasts: [],
  links: [],
  nextTimer: 1,
  hiddenFor: null,
  keyboard: false,
  clipboard: '',
  connected: true,
  display: held('portrait'),
  location: null,
  tree: { records: [], nodes: [], spans: [] },
  lastChange: 0,
  stale: true,
};
// The records that Rust has.
let sent = [];
const ids = entries.map((entry) => entry.id);

class Failed {
  constructor(kind, message, hint = null, stack = null) {
    Object.assign(this, { kind, message, hint, stack });
  }
}

// --- transactions ---------------------------------------------------------------------------------------------

// What runs now, for messages; `active` may use its api.
let active = null;
let place = { id: '', what: '' };

const isOutOfMemory = (error) =>
  error === null || (error instanceof InternalError && String(error.message).startsWith('out of memory'));

function explain(error) {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : `threw ${JSON.stringify(error)}`;
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

function asFailed(error) {
  if (error instanceof Failed) return error;
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : null;
  return new Failed('App', `the app '${place.id}' failed in ${place.what}: ${explain(error)}`, null, stack);
}

function transact(work) {
  const saved = { ...sim };
  const apps = [];
  for (let i = 0; i < entries.length; i++) {
    const { state, known, running } = entries[i];
    apps[i] = { state, known, running };
  }
  try {
    const result = work();
    settle();
    return result;
  } catch (error) {
    // The whole runtime goes, and nothing may be allocated here.
    if (isOutOfMemory(error)) throw error;
    const failed = asFailed(error);
    sim = saved;
    entries.forEach((entry, i) => Object.assign(entry, apps[i]));
    throw failed;
  } finally {
    active = null;
  }
}

// --- what is on the screen ------------------------------------------------------------------------------------

function windowsOf(result) {
  if (Array.isArray(result)) return { windows: result, keyboard: false };
  if (typeof result !== 'object' || result === null) {
    throw new TypeError(`render returned ${result === null ? 'null' : typeof result}, not a node`);
  }
  if (typeof result.then === 'function') throw new TypeError('render returned a promise, but it may not be async');
  if (Array.isArray(result.windows)) return { windows: result.windows, keyboard: result.keyboard === true };
  return { windows: [result], keyboard: false };
}

// Something that stays the same when the node is rendered again.
function identity(focus) {
  if (focus === null) return '';
  const { node, index } = focus;
  return String(node.resourceId ?? node.key ?? node.uniqueId ?? node.composeTestTag ?? index);
}

function shown() {
  const { front } = sim;
  if (front === null) return launcher(ids, sim.display);
  place = { id: front.id, what: 'render' };
  return front.app.render(front.state);
}

const isKeyboard = (node) => node?.window === 'keyboard';

// The app's windows, then the keyboard when it is up, then the toasts.
function withPhoneWindows(windows, keyboard, up) {
  if (!keyboard && up === windows.some(isKeyboard) && sim.toasts.length === 0) return windows;
  const all = up ? [...windows] : windows.filter((node) => !isKeyboard(node));
  if (keyboard && up) all.push(sim.display.keyboard);
  sim.toasts.forEach(({ text }, i) => all.push(toast(text, i, sim.display)));
  return all;
}

function render() {
  const { windows, keyboard } = windowsOf(shown());
  const screen = [0, 0, sim.display.width, sim.display.height];
  const wanted = keyboard || windows.some(isKeyboard);
  let up = wanted && sim.hiddenFor === null;
  let tree = flatten(withPhoneWindows(windows, keyboard, up), sim.tree.records, screen);
  if (!wanted) {
    sim.hiddenFor = null;
  } else if (!up && sim.hiddenFor !== identity(focused(tree))) {
    sim.hiddenFor = null;
    up = true;
    tree = flatten(withPhoneWindows(windows, keyboard, up), sim.tree.records, screen);
  }
  sim.keyboard = up;
  sim.stale = false;
  if (tree.changed) sim.lastChange = time.now;
  // Unchanged to look at, but the app's own keys on the nodes may be new.
  else tree.records = sim.tree.records;
  sim.tree = tree;
}

function settle() {
  if (sim.stale) render();
  for (let opened = 0; sim.links.length > 0; opened++) {
    const [{ entry, link }, ...rest] = sim.links;
    if (opened >= MOST_LINKS) throw new Failed('App', `the app '${entry.id}' opens links without end`);
    sim.links = rest;
    deliver(entry, 'openLink', { link });
    if (sim.stale) render();
  }
}

// --- apps -----------------------------------------------------------------------------------------------------

function find(id) {
  const entry = entries.find((each) => each.id === id);
  if (entry === undefined) {
    const hint = `this sim has ${ids.map((each) => `'${each}'`).join(', ')}`;
    throw new Failed('NotFound', `the app '${id}' is not installed`, hint);
  }
  return entry;
}

// A fresh copy, so that an app that changes its state in place does not change its initial state.
function copy(value) {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each)]));
}

function reset(entry) {
  place = { id: entry.id, what: 'initialState' };
  const { initialState } = entry.app;
  entry.state = typeof initialState === 'function' ? initialState() : copy(initialState);
  entry.known = true;
}

function run(entry, what, handler) {
  place = { id: entry.id, what };
  active = entry;
  const result = handler();
  active = null;
  if (result !== null && typeof result === 'object' && typeof result.then === 'function') {
    throw new TypeError('it returned a promise, but handlers may not be async');
  }
  return result;
}

function become(entry, state) {
  if (state === undefined) return;
  entry.state = state;
  if (sim.front === entry) sim.stale = true;
}

// Calls the app's handler, if it has one.
function deliver(entry, type, fields) {
  if (entry === null || !entry.on[type]) return;
  if (!entry.known) reset(entry);
  become(entry, run(entry, `on.${type}`, () => entry.on[type](entry.state, event(type, fields), entry.api)));
}

function tellAll(type, fields) {
  for (const entry of entries) if (entry.running) deliver(entry, type, fields);
}

function event(type, fields) {
  const node = fields.node ?? null;
  return { type, ...fields, node, id: node?.resourceId ?? null };
}

function show(entry) {
  sim.front = entry;
  sim.stale = true;
}

const orientation = () => {
  const { orientation: how, width, height } = sim.display;
  return { orientation: how, width, height };
};

function launch(entry, args) {
  const cold = !entry.running;
  if (!entry.known) reset(entry);
  entry.running = true;
  show(entry);
  const location = sim.location && { ...sim.location };
  deliver(entry, 'launch', { arguments: args, cold, connected: sim.connected, location, ...orientation() });
}

function kill(entry) {
  entry.running = false;
  sim.timers = sim.timers.filter((timer) => timer.entry !== entry);
  if (sim.front === entry) show(null);
}

// --- what an app can ask for ----------------------------------------------------------------------------------

function makeApi(entry) {
  const inHandler = (name) => {
    if (active !== entry) throw new Error(`api.${name} works only while one of the app's handlers runs`);
  };
  return Object.freeze({
    after(ms, fn) {
      inHandler('after');
      if (typeof ms !== 'number' || Number.isNaN(ms)) throw new TypeError('api.after: the time must be a number of milliseconds');
      if (typeof fn !== 'function') throw new TypeError('api.after: the second argument must be a function');
      const due = Math.min(time.now + Math.max(0, Math.round(ms)), Number.MAX_SAFE_INTEGER);
      const timer = { id: sim.nextTimer++, due, entry, fn };
      let at = sim.timers.length;
      while (at > 0 && sim.timers[at - 1].due > due) at--;
      sim.timers = [...sim.timers.slice(0, at), timer, ...sim.timers.slice(at)];
      return timer.id;
    },
    cancel(id) {
      inHandler('cancel');
      sim.timers = sim.timers.filter((timer) => timer.id !== id || timer.entry !== entry);
    },
    open(link) {
      inHandler('open');
      if (!entry.on.openLink) throw new TypeError('api.open: the app has no on.openLink');
      sim.links = [...sim.links, { entry, link: String(link) }];
    },
    toast(text) {
      inHandler('toast');
      sim.toasts = [...sim.toasts, { text: String(text), until: time.now + TOAST_MS }];
      sim.stale = true;
    },
    finish() {
      inHandler('finish');
      if (sim.front === entry) show(null);
    },
    now: () => time.now,
    random,
  });
}

for (const entry of entries) entry.api = makeApi(entry);

// --- time -----------------------------------------------------------------------------------------------------

function nextDue() {
  const timer = sim.timers.length > 0 ? sim.timers[0].due : Infinity;
  const end = sim.toasts.reduce((least, each) => Math.min(least, each.until), timer);
  return end === Infinity ? null : end;
}

let instant = { at: -1, fired: 0 };

function fire(due) {
  if (sim.toasts.some((each) => each.until <= due)) {
    transact(() => {
      sim.toasts = sim.toasts.filter((each) => each.until > due);
      sim.stale = true;
    });
    return;
  }
  const [{ entry, fn }, ...rest] = sim.timers;
  // Outside the transaction: a timer that throws is over all the same.
  sim.timers = rest;
  if (instant.at !== due) instant = { at: due, fired: 0 };
  if (++instant.fired > MOST_AT_ONE_INSTANT) {
    instant = { at: -1, fired: 0 };
    sim.timers = rest.filter((timer) => timer.due > due);
    throw new Failed('App', `the timers of '${entry.id}' start each other at the same instant without end`);
  }
  transact(() => become(entry, run(entry, 'a timer', () => fn(entry.state, entry.api))));
}

// Brings the phone to `now`, each timer at its own time. True when there was too much to do for one call.
function advanceTo(now) {
  for (let fired = 0; ; fired++) {
    const due = nextDue();
    if (due === null || due > now) break;
    if (fired >= BATCH) return true;
    time.now = Math.max(time.now, due);
    fire(due);
  }
  time.now = Math.max(time.now, now);
  return false;
}

// --- actions --------------------------------------------------------------------------------------------------

const isClickable = (node) => node.isClickable === true;
const isLongClickable = (node) => node.isLongClickable === true || node.isClickable === true;
const isScrollable = (node) => node.isScrollable === true;

function touch(type, x, y, wanted, fields = {}) {
  const { node, outside } = hit(sim.tree, x, y, wanted);
  if (node === sim.display.keyboard || node?.isEnabled === false) return;
  if (sim.front === null) {
    if (type === 'tap' && node?.launch) launch(find(node.launch), {});
    return;
  }
  deliver(sim.front, type, outside ? { x, y, node, outside, ...fields } : { x, y, node, ...fields });
}

function move(type, { x1, y1, x2, y2 }) {
  const dx = x2 - x1;
  const dy = y2 - y1;
  let direction = null;
  if (dx !== 0 || dy !== 0) {
    if (Math.abs(dx) > Math.abs(dy)) direction = dx > 0 ? 'right' : 'left';
    else direction = dy > 0 ? 'down' : 'up';
  }
  const fields = { x1, y1, x2, y2, dx, dy, direction };
  if (type === 'drag' && sim.front?.on.drag) {
    touch('drag', x1, y1, isLongClickable, fields);
    return;
  }
  const { node } = hit(sim.tree, x1, y1, isScrollable);
  if (node === sim.display.keyboard) return;
  deliver(sim.front, 'scroll', { x: x1, y: y1, node: node && isScrollable(node) ? node : null, ...fields });
}

// Typing goes to a field that has the focus, or nowhere.
function focusedField() {
  const node = focused(sim.tree)?.node;
  if (!node || node.isEditable !== true || sim.front === null) {
    throw new Failed('NotFound', 'nothing is focused that takes text', 'tap a text field first');
  }
  return node;
}

function typeInto(node, kind, fields) {
  if (!sim.front?.on[kind]) {
    throw new Failed('App', `the app '${sim.front?.id}' has a focused field but no on.${kind}`);
  }
  deliver(sim.front, kind, { node, ...fields });
}

const type = (kind, fields) => typeInto(focusedField(), kind, fields);

// A node of the screen that was seen last.
function nodeAt(index) {
  const node = sim.tree.nodes[index];
  if (node === undefined) throw new Failed('Refused', 'the element is gone');
  return node;
}

// What a touch does, without a finger. A node that does not take it says so.
function press(type, index, takes, fields = {}) {
  const node = nodeAt(index);
  if (!takes(node) || node.isEnabled === false) throw new Failed('Refused', 'the element takes no such action');
  if (sim.front === null) {
    if (type === 'tap' && node.launch) launch(find(node.launch), {});
    return;
  }
  const [left, top, right, bottom] = sim.tree.records[index].bounds ?? [0, 0, 0, 0];
  deliver(sim.front, type, { x: (left + right) >> 1, y: (top + bottom) >> 1, node, ...fields });
}

// A field gets the difference, as an app that listens to its changes would.
function setText(index, text) {
  const node = nodeAt(index);
  if (node.isEditable !== true || sim.front === null) throw new Failed('Refused', 'the element takes no text');
  const held = node.isShowingHintText === true ? '' : String(node.text ?? '');
  if (text.startsWith(held)) {
    if (text !== held) typeInto(node, 'text', { text: text.slice(held.length), how: 'set' });
    return;
  }
  const kept = held.startsWith(text) ? text.length : 0;
  typeInto(node, 'erase', { count: [...held.slice(kept)].length });
  settle();
  if (kept === 0 && text !== '') typeInto(sim.tree.nodes[index] ?? node, 'text', { text, how: 'set' });
}

// Two fingers that move apart or together are a pinch for an app that knows no more.
function fingers({ fingers: all }) {
  const [first, second] = all.map(({ points }) => [points[0], points[points.length - 1]]);
  const [x, y] = first[0];
  if (sim.front?.on.gesture || all.length !== 2 || all.some(({ points }) => points.length < 2)) {
    touch('gesture', x, y, isClickable, { fingers: all });
    return;
  }
  const distance = (i) => Math.hypot(first[i][0] - second[i][0], first[i][1] - second[i][1]);
  const centre = [0, 1].map((axis) => Math.round((first[0][axis] + second[0][axis]) / 2));
  touch('pinch', ...centre, isClickable, { scale: distance(1) / Math.max(1, distance(0)) });
}

function hideKeyboard() {
  if (!sim.keyboard) return false;
  sim.hiddenFor = identity(focused(sim.tree));
  sim.stale = true;
  render();
  deliver(sim.front, 'hideKeyboard', {});
  return true;
}

function handlerOf(kind, missing) {
  const entry = sim.front?.on[kind] ? sim.front : entries.find((each) => each.on[kind]);
  if (entry === undefined) throw new Failed('NotSupported', missing);
  return entry;
}

function shell(command) {
  const entry = handlerOf('shell', 'no app of this sim has an on.shell');
  if (!entry.known) reset(entry);
  const result = run(entry, 'on.shell', () => entry.on.shell(entry.state, event('shell', { command }), entry.api));
  become(entry, result?.state);
  return String(result?.output ?? '');
}

const ACTIONS = {
  tap: ({ x, y }) => touch('tap', x, y, isClickable),
  doubleTap({ x, y }) {
    if (sim.front?.on.doubleTap) {
      touch('doubleTap', x, y, isClickable);
      return;
    }
    touch('tap', x, y, isClickable);
    settle();
    touch('tap', x, y, isClickable);
  },
  longPress: ({ x, y, durationMs }) => touch('longPress', x, y, isLongClickable, { durationMs }),
  swipe: (action) => move('scroll', action),
  drag: (action) => move('drag', action),
  pinch({ scale, at }) {
    const [x, y] = at ?? [Math.round(sim.display.width / 2), Math.round(sim.display.height / 2)];
    touch('pinch', x, y, isClickable, { scale });
  },
  fingers,
  click: ({ node }) => press('tap', node, isClickable),
  longClick: ({ node }) => press('longPress', node, isLongClickable, { durationMs: 500 }),
  showOnScreen: () => { throw new Failed('Refused', 'nothing scrolls by itself here'); },
  setText: ({ node, text }) => setText(node, text),
  inputText: ({ text }) => type('text', { text, how: 'input' }),
  typeKeys({ text }) {
    focusedField();
    for (const key of text) {
      if (key === '\n') deliver(sim.front, 'key', { key: 'ENTER', node: focused(sim.tree)?.node ?? null });
      else type('text', { text: key, how: 'keys' });
      settle();
    }
  },
  eraseText: ({ count }) => type('erase', { count }),
  key: ({ name }) => deliver(sim.front, 'key', { key: name, node: focused(sim.tree)?.node ?? null }),
  back() {
    if (hideKeyboard() || sim.front === null) return;
    if (sim.front.on.back) deliver(sim.front, 'back', {});
    else show(null);
  },
  home: () => show(null),
  hideKeyboard: () => { hideKeyboard(); },
  launchApp: ({ appId, arguments: args }) => launch(find(appId), args ?? {}),
  stopApp({ appId }) {
    const entry = find(appId);
    if (!entry.running) return;
    deliver(entry, 'stop', {});
    kill(entry);
  },
  clearAppData({ appId }) {
    const entry = find(appId);
    kill(entry);
    reset(entry);
    deliver(entry, 'clearData', {});
  },
  openLink({ link }) {
    const entry = handlerOf('openLink', `no app of this sim opens links: '${link}'`);
    if (entry.running) show(entry);
    else launch(entry, {});
    deliver(entry, 'openLink', { link });
  },
  setClipboard({ text }) {
    sim.clipboard = text;
    deliver(sim.front, 'clipboard', { text });
  },
  pasteClipboard() {
    type('text', { text: sim.clipboard, how: 'paste' });
  },
  grantPermission: ({ appId, permission }) => deliver(find(appId), 'permission', { permission, granted: true }),
  revokePermission: ({ appId, permission }) => deliver(find(appId), 'permission', { permission, granted: false }),
  setConnected({ connected }) {
    sim.connected = connected;
    tellAll('connection', { connected });
  },
  setOrientation({ orientation: how }) {
    if (sim.display.orientation === how) return;
    sim.display = held(how);
    // Windows without bounds are as large as the screen: every node is looked at anew.
    sim.tree = { records: [], nodes: [], spans: [] };
    sim.stale = true;
    tellAll('rotate', orientation());
  },
  setLocation({ latitude, longitude }) {
    sim.location = { latitude, longitude };
    tellAll('location', sim.location);
  },
  shell: ({ command }) => shell(command),
};

// --- what Rust calls ------------------------------------------------------------------------------------------

function answer(work) {
  const out = {};
  try {
    work(out);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    out.failure = { ...error };
  }
  const { records } = sim.tree;
  if (records !== sent) {
    out.tree = patch(records, sent);
    sent = records;
  }
  out.nextDue = nextDue();
  out.lastChange = sim.lastChange;
  out.rotation = sim.display.rotation;
  out.front = sim.front === null ? null : sim.front.id;
  return out;
}

export function boot(now) {
  time.now = now;
  return answer((out) => {
    transact(() => {});
    sim.lastChange = now;
    out.installed = ids;
  });
}

export function advance(now) {
  return answer((out) => {
    out.again = advanceTo(now);
  });
}

export function act(now, action) {
  return answer((out) => {
    out.again = advanceTo(now);
    if (!out.again) out.text = transact(() => ACTIONS[action.action](action));
  });
}
