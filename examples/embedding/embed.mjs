// A gate inside a program of yours, with a tool of your own. After a build: node examples/embedding/embed.mjs
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callTool, listTools, openTidegate } from 'tidegate';
import { defineTool, z } from 'tidegate/tool';

const highWater = defineTool({
  name: 'high_water',
  title: 'High water',
  description: 'Says when the next high water is at a station.',
  effect: 'read',
  input: z.object({ station: z.string().describe('Name of the station.') }),
  run: ({ station }) => `High water at ${station}: 09:33`,
});

const home = await mkdtemp(join(tmpdir(), 'embedded-gate-'));
const tidegate = await openTidegate({
  cwd: home, // where tidegate.yaml is looked for
  env: { ...process.env, TIDEGATE_HOME: home },
  version: '1.0.0',
  mode: 'command',
  logLevel: 'silent',
  tools: [highWater],
  toolPatterns: ['high_water'], // leave it out, and the built-in tools are there too
});
try {
  console.log((await listTools(tidegate)).map((tool) => tool.name));
  const right = await callTool(tidegate, 'high_water', '{"station":"North"}', AbortSignal.timeout(5000));
  console.log(right.kind, right.kind === 'content' && right.result.text);
  const wrong = await callTool(tidegate, 'high_water', '{"station":[7]}', AbortSignal.timeout(5000));
  console.log(wrong.kind, wrong.kind === 'fault' && wrong.fault.code);
} finally {
  await tidegate.close();
  await rm(home, { recursive: true, force: true });
}
