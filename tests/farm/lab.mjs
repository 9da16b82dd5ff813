// A workspace with its APKs, and plans made of it. The program is what TRAILBLAZE_PROGRAM names.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export const given = (name) => {
  const value = process.env[name];
  assert.ok(value, `${name} is not set; 'cargo xtask test --only sdk' sets it`);
  return value;
};

/** Runs a command that must end well, and gives what it printed. */
export function run(command, args, { cwd, env } = {}) {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (error) throw error;
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** A zip without compression. */
function zip(entries) {
  const [bodies, directory] = [[], []];
  let at = 0;
  for (const [name, bytes] of entries) {
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(0x0800, 2);
    header.writeUInt32LE(crc32(bytes), 10);
    header.writeUInt32LE(bytes.length, 14);
    header.writeUInt32LE(bytes.length, 18);
    header.writeUInt16LE(Buffer.byteLength(name), 22);
    const offset = Buffer.alloc(14);
    offset.writeUInt32LE(at, 10);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), header, Buffer.from(name), bytes]);
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), header, offset, Buffer.from(name));
    bodies.push(body);
    at += body.length;
  }
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, all, end]);
}

/** The folder of a workspace with this many trails, which is gone after the tests. */
export function workspace(after, count) {
  const root = fs.mkdtempSync(join(tmpdir(), 'trailblaze-farm-'));
  after(() => fs.rmSync(root, { recursive: true }));
  const write = (name, content) => {
    fs.mkdirSync(join(root, name, '..'), { recursive: true });
    fs.writeFileSync(join(root, name), content);
  };
  const manifest = (name) => ['AndroidManifest.xml', fs.readFileSync(here(`../../rust/apk/tests/apk/${name}.axml`))];
  const assets = [];
  write('trailblaze.yaml', 'target: com.example.shop\n');
  for (let number = 0; number < count; number++) {
    // Some names are not plain, and carry a hash.
    const name = `trails/suite-${number % 3}/${number % 2 ? 'a trail' : 'trail'}-n${number}.trail.yaml`;
    const text = 'trail:\n  - step: Nothing\n    recording: { android: [] }\n';
    write(name, text);
    assets.push([`assets/trailblaze/${name}`, Buffer.from(text)]);
  }
  write('app.apk', zip([manifest('app')]));
  write('test.apk', zip([manifest('manifest'), ...assets]));
  return root;
}

/** `trailblaze farm plan`, and the command that it prints. */
export function plan(root, farm, ...args) {
  const apks = ['--app', 'app.apk', '--test', 'test.apk', '--out', 'plan'];
  return run(given('TRAILBLAZE_PROGRAM'), ['farm', 'plan', '--farm', farm, ...apks, ...args], { cwd: root }).trim();
}

/** The words of a command, as a shell takes them. */
export const words = (command) =>
  run('sh', ['-c', `for word in ${command}; do printf '%s\\n' "$word"; done`]).split('\n').slice(0, -1);
