// A Tidegate like a user's: configuration file, trust, log, token. Only its home is temporary.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const token = `tg_${'bench'.repeat(8)}`;

/** Prepares a gateway with one upstream server and workspace tools; `close` removes its files. */
export async function openGateway(program, { echo, env = {}, tools = 0 }) {
  const home = await mkdtemp(join(tmpdir(), 'tidegate-bench-'));
  // Tidegate refuses a workspace inside its state directory.
  const state = join(home, 'state');
  const work = join(home, 'work');
  const config = join(work, 'tidegate.yaml');
  await mkdir(state);
  await mkdir(work);
  const server = { command: process.execPath, args: [echo], env };
  // JSON is valid YAML.
  await writeFile(config, JSON.stringify({ servers: { bench: server } }, null, 2));
  await writeFile(join(state, 'token'), `${token}\n`, { mode: 0o600 });
  const environment = { TIDEGATE_HOME: state };
  await writeTools(join(work, '.tidegate', 'tools'), tools);
  await run(process.execPath, [program, 'trust', '--yes'], {
    cwd: work,
    env: { ...process.env, ...environment },
  });
  return {
    environment,
    authorization: `Authorization: Bearer ${token}`,
    stdio: [process.execPath, program, 'mcp', '--config', config],
    http: (port) => [process.execPath, program, 'serve', '--config', config, '--port', String(port)],
    close: () => rm(home, { recursive: true, force: true }),
  };
}

async function writeTools(folder, count) {
  await mkdir(folder, { recursive: true });
  for (let i = 0; i < count; i += 1) {
    const text = `import { defineTool, z } from 'tidegate/tool';
export default defineTool({
  name: 'tool_${i}', title: 'Tool ${i}', description: 'Does the thing number ${i}, when somebody asks for it.',
  effect: 'read',
  input: z.object({ text: z.string().describe('A text.'), count: z.int().min(0).default(1).describe('How often.') }),
  output: z.object({ text: z.string().describe('The text, so many times.') }),
  run: ({ text, count }: { text: string; count: number }) => ({ data: { text: text.repeat(count) } }),
});
`;
    await writeFile(join(folder, `tool-${i}.tool.ts`), text);
  }
}
