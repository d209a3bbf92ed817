// An MCP server over stdio with two tools, written by hand so that no library corrects any input. It appends everything it
// receives to the file in its argument, one JSON text per line.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const log = process.argv[2];
const note = (value) => appendFileSync(log, `${JSON.stringify(value)}\n`);

const input = {
  type: 'object',
  properties: { text: { type: 'string', description: 'What to say.' } },
  required: ['text'],
};
const tools = [
  {
    name: 'echo',
    description: 'Returns its input.',
    inputSchema: input,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'store',
    description: 'Stores its input.',
    inputSchema: input,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'probe', version: '1.0.0' },
    instructions: 'Probe instructions: call echo.',
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: given = {} }) => ({
    content: [{ type: 'text', text: `${name} said ${given.text}` }],
  }),
};

function answer({ id, method, params = {} }) {
  const result = answers[method]?.(params);
  const body = result ? { result } : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
}

note({ started: process.pid });
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line);
    note(message);
    if (message.id !== undefined && message.method) answer(message);
  })
  .on('close', () => process.exit(0));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
