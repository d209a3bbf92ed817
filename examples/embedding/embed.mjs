// Embeds Tidegate in a program, with a custom tool. After a build: node examples/embedding/embed.mjs
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callTool, listTools, openTidegate } from 'tidegate';
import { defineTool, z } from 'tidegate/tool';

const highWater = defineTool({
  name: 'high_water',
  title: 'High water',
  description: 'Returns the time of the next high water at a station.',
  effect: 'read',
  input: z.object({ station: z.string().describe('Name of the station.') }),
  run: ({ station }) => `High water at ${station}: 09:33`,
});

const home = await mkdtemp(join(tmpdir(), 'embedded-gate-'));
const tidegate = await openTidegate({
  cwd: home, // folder to search for tidegate.yaml
  env: { ...process.env, TIDEGATE_HOME: home },
  version: '1.0.0',
  mode: 'command',
  logLevel: 'silent',
  tools: [highWater],
  toolPatterns: ['high_water'], // omit this to include the built-in tools
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
