// One method for each command. The types beside this file say what each of them is for.

import { toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';

import { TrailblazeError } from './error.js';
import {
  DesktopCommands as DesktopService,
  MaestroCommands as MaestroService,
  PlaywrightCommands as PlaywrightService,
  TrailblazeCommands,
} from './gen/trailblaze/v1/commands_pb.js';
import { TrailblazeRegistry } from './gen/trailblaze/v1/registry_pb.js';
import { Link } from './link.js';

/** The groups that the devices of a platform have. */
const GROUPS = { android: ['maestro'], ios: ['maestro'], web: ['playwright'], desktop: ['desktop'] };

/** The arguments by name, where the first ones are given by position and the others in an object. */
function named(method, names, values) {
  const args = {};
  values.forEach((value, index) => {
    if (value === undefined) return;
    if (typeof value === 'object' && value !== null) Object.assign(args, value);
    else if (names[index]) args[names[index]] = value;
    else throw new TypeError(`${method}: argument ${index + 1} must be an object of options`);
  });
  return args;
}

class Commands {
  #link;

  constructor(link) {
    this.#link = link;
  }

  /** Gives the class a method for each of these commands: the names of the arguments by position, and how an answer is read. */
  static define(service, commands, read = (answer) => answer) {
    for (const [method, names] of Object.entries(commands)) {
      this.prototype[method] = async function (...values) {
        const isPoint = method === 'tap' && typeof values[0] === 'number';
        const args = named(method, isPoint ? ['x', 'y'] : names, values);
        return read(await this.#link.ask(service, method, args));
      };
    }
  }
}

const json = (value) => (value === undefined ? undefined : toJson(ValueSchema, value));

export class MaestroCommands extends Commands {}

MaestroCommands.define(MaestroService, {
  adbShell: ['command'],
  grantPermission: ['packageId', 'permission'],
  pressBack: [],
  pressHome: [],
  swipe: ['direction', 'durationMs'],
  scroll: ['direction', 'amount'],
  scrollUntilTextIsVisible: ['text'],
  pinch: ['scale'],
  setOrientation: ['orientation'],
  setLocation: ['latitude', 'longitude'],
  networkConnection: ['connected'],
  setClipboard: ['text'],
  pasteClipboard: [],
});

export class PlaywrightCommands extends Commands {}

PlaywrightCommands.define(PlaywrightService, {
  navigate: ['url'],
  click: ['selector'],
  fill: ['selector', 'value'],
  waitForSelector: ['selector', 'timeoutMs'],
});
PlaywrightCommands.define(PlaywrightService, { evaluateJs: ['script'] }, ({ value }) => json(value) ?? null);

export class DesktopCommands extends Commands {}

DesktopCommands.define(DesktopService, { getDesktopStatus: [] });

export class TrailblazeClient extends Commands {
  #link;

  constructor(where = {}, options = {}) {
    const link = new Link(typeof where === 'string' ? { baseUrl: where, ...options } : where);
    super(link);
    this.#link = link;
    const has = (group) => (link.groups ?? GROUPS[link.platform] ?? [group]).includes(group);
    this.platform = link.platform;
    this.maestro = has('maestro') ? new MaestroCommands(link) : null;
    this.playwright = has('playwright') ? new PlaywrightCommands(link) : null;
    this.desktop = has('desktop') ? new DesktopCommands(link) : null;
    this.memory = {
      get: async (key) => (await link.ask(TrailblazeCommands, 'getMemory', { key })).value ?? null,
      set: async (key, value) => void (await link.ask(TrailblazeCommands, 'setMemory', { key, value })),
      all: async () => (await link.ask(TrailblazeCommands, 'listMemory')).entries,
    };
  }

  static fromContext(context, options = {}) {
    return new TrailblazeClient({ context, ...options });
  }

  async callTool(name, args = {}) {
    const answer = await this.#link.ask(TrailblazeCommands, 'callTool', { name, arguments: args });
    return { text: answer.message, structured: json(answer.structuredContent) };
  }

  async screenshot(options = {}) {
    const pieces = await this.#link.collect(TrailblazeCommands, 'takeScreenshot', options);
    const picture = new Uint8Array(pieces.reduce((length, { data }) => length + data.length, 0));
    let end = 0;
    for (const { data } of pieces) {
      picture.set(data, end);
      end += data.length;
    }
    return picture;
  }

  registry() {
    return this.#link.ask(TrailblazeRegistry, 'getRegistry');
  }

  get sampling() {
    const hint = 'let the tool ask a model of its own, or leave the decision to the trail';
    throw new TrailblazeError({ kind: 'NotSupported', message: 'Trailblaze lends its model to no tool', hint });
  }
}

TrailblazeClient.define(TrailblazeCommands, {
  tap: ['text'],
  inputText: ['text'],
  eraseText: ['charactersToErase'],
  clearText: [],
  hideKeyboard: [],
  pressKey: ['keyCode'],
  launchApp: ['packageId'],
  stopApp: ['packageId'],
  clearAppData: ['packageId'],
  openUrl: ['url'],
  wait: ['timeToWaitInSeconds'],
  captureScreen: [],
  assertVisible: ['text'],
  assertNotVisibleWithText: ['text'],
  waitUntilVisible: ['text', 'timeoutMs'],
});
TrailblazeClient.define(
  TrailblazeCommands,
  { isVisible: ['text'], hasText: ['text'], getElementText: ['id'], getElementCount: ['text'] },
  ({ value }) => value ?? null,
);
TrailblazeClient.define(TrailblazeCommands, { listDevices: [] }, ({ devices }) => devices);
