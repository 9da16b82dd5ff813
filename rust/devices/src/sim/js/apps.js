// The apps that the module exports, checked once so that mistakes show at the start and not in the middle of a trail.

import { loaded } from 'trailblaze:sim/app';

const EVENTS = [
  'tap', 'longPress', 'doubleTap', 'text', 'erase', 'key', 'scroll', 'drag', 'pinch', 'gesture', 'back', 'hideKeyboard', 'launch',
  'stop', 'clearData', 'openLink', 'permission', 'clipboard', 'connection', 'rotate', 'location', 'shell',
];

function check(app, name) {
  if (typeof app !== 'object' || app === null) throw new TypeError(`'${name}' must be an object`);
  if (typeof app.id !== 'string' || app.id === '') throw new TypeError(`'${name}.id' must be a text`);
  if (typeof app.render !== 'function') throw new TypeError(`'${name}.render' must be a function`);
  const on = app.on ?? {};
  if (typeof on !== 'object') throw new TypeError(`'${name}.on' must be an object of handlers`);
  for (const type of Object.keys(on)) {
    if (!EVENTS.includes(type)) {
      throw new TypeError(`'${name}.on.${type}' is no event; the events are ${EVENTS.join(', ')}`);
    }
    if (typeof on[type] !== 'function') throw new TypeError(`'${name}.on.${type}' must be a function`);
  }
}

function exported() {
  const { app, apps } = loaded;
  if (app === undefined && apps === undefined) {
    const shape = '`export const app = { id, initialState, render(state), on }`';
    throw new TypeError(`the app's file exports no 'app': it must say ${shape}`);
  }
  if (apps !== undefined && !Array.isArray(apps)) throw new TypeError("'apps' must be an array of apps");
  const list = [];
  if (app !== undefined) {
    check(app, 'app');
    list.push(app);
  }
  (apps ?? []).forEach((each, i) => {
    check(each, `apps[${i}]`);
    if (!list.includes(each)) list.push(each);
  });
  if (list.length === 0) throw new TypeError("'apps' is empty");
  list.forEach((each, i) => {
    if (list.findIndex((other) => other.id === each.id) !== i) throw new TypeError(`two apps have the id '${each.id}'`);
  });
  return list;
}

// `known`: the state was made; `running`: started and not stopped since.
export const entries = exported().map((app) => ({
  app, id: app.id, on: app.on ?? {}, state: undefined, known: false, running: false,
}));
