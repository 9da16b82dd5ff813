// The smallest server of tools: what a tool gives is the text of its answer, what it throws is an error.
const host = globalThis[Symbol.for('trailblaze.host')];

const callTool = async (name, args) => {
  const answer = await host.call(name, args);
  if (!answer.success) throw new Error(answer.errorMessage);
};
const client = { callTool, tap: (args) => callTool('tap', args) };

const serve = (tools) => host.connect(async ({ id, method, params }) => {
  if (id === undefined) return;
  let result = {};
  if (method === 'tools/call') {
    try {
      const value = await tools[params.name]();
      result = { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] };
    } catch (error) {
      result = { content: [], isError: true };
    }
  }
  host.send({ jsonrpc: '2.0', id, result });
});
