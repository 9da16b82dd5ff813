// What an official client for TypeScript sees of a server: the same visit with both generations of the SDK.

import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const modules = join(process.env.TRAILBLAZE_SDK_PACKAGES, 'node_modules', '@modelcontextprotocol');
const load = (path) => import(pathToFileURL(join(modules, path)));
const about = { name: 'visitor', version: '1.0.0' };

/** The first generation, which knows the older protocol only. */
export async function first(transport, _generation) {
  const [{ Client }, stdio, http] = await Promise.all(
    ['index', 'stdio', 'streamableHttp'].map((name) => load(`sdk/dist/esm/client/${name}.js`)),
  );
  // Here the schema of the result stands before the options.
  return visit(new Client(about), transport, { ...stdio, ...http }, (options) => [undefined, options]);
}

/** The second generation, told which protocol to speak. */
export async function second(transport, generation) {
  const [client, stdio] = await Promise.all([load('client/dist/index.mjs'), load('client/dist/stdio.mjs')]);
  const mode = generation === '2025-11-25' ? 'legacy' : { pin: generation };
  const parts = { ...client, ...stdio };
  return visit(new client.Client(about, { versionNegotiation: { mode } }), transport, parts, (options) => [options]);
}

async function visit(client, { command, args, cwd, url }, parts, withOptions) {
  const transport = url
    ? new parts.StreamableHTTPClientTransport(new URL(url))
    : new parts.StdioClientTransport({ command, args, cwd, stderr: 'inherit' });
  await client.connect(transport);
  try {
    const call = (name, args = {}, ...options) => client.callTool({ name, arguments: args }, ...options);
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const registry = await client.readResource({ uri: 'trailblaze://registry' });
    const steps = [];
    const heard = { onprogress: ({ progress }) => steps.push(progress) };
    return {
      server: client.getServerVersion().name,
      tools: tools.map(({ name }) => name),
      resources: resources.map(({ uri }) => uri),
      registry: JSON.parse(registry.contents[0].text),
      devices: await call('devices'),
      screen: await call('screen', { format: 'both' }),
      unknown: await call('tool', { name: 'no_such_tool' }),
      wrong: await call('screen', { format: 'video' }),
      missing: await client.readResource({ uri: 'trailblaze://nope' }).catch(({ message }) => message),
      picture: await call('tool', { name: 'takeSnapshot', arguments: { screenName: 'home' } }),
      step: await call('step', { text: 'Sign in' }),
      run: await call('trail_run', {}, ...withOptions(heard)),
      progress: steps,
    };
  } finally {
    await client.close();
  }
}
