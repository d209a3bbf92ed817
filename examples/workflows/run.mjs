// Runs the example workflows offline: their agents use a scripted model on this machine.
//   node examples/workflows/run.mjs [review | two-agents | each-file]
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openScriptedModel } from '../../dist/testing.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const program = fileURLToPath(new URL('../../dist/tidegate.js', import.meta.url));

/** Model scripts by workflow. A script is a list of turns, or a function if several agents run at once. */
const scripts = {
  review: async () => JSON.parse(await readFile(join(here, 'review.model.json'), 'utf8')),
  'two-agents': async () => twoAgents,
  'each-file': async () => [],
};

function twoAgents({ model, tools, messages }) {
  const last = messages.at(-1);
  if (last.role === 'tool') return { say: `${model} with ${tools.join(', ')}: done.` };
  const call =
    model === 'reader'
      ? { name: 'Read', arguments: { file_path: 'notes/high.md' } }
      : { name: 'Grep', arguments: { pattern: 'water', output_mode: 'content' } };
  return { calls: [call] };
}

async function run(name) {
  const workspace = await mkdtemp(join(tmpdir(), 'tidegate-example-'));
  await cp(join(here, 'notes'), join(workspace, 'notes'), { recursive: true });
  const model = await openScriptedModel(await scripts[name]());
  const env = { ...process.env, MODEL_URL: model.url, TIDEGATE_HOME: join(workspace, '.state') };
  try {
    return await new Promise((resolve) => {
      const child = spawn(process.execPath, [program, 'run', join(here, `${name}.yaml`)], {
        cwd: workspace,
        env,
        stdio: 'inherit',
      });
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    await model.close();
    await rm(workspace, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(scripts)) {
  console.log(`\n# ${name}`);
  process.exitCode = (await run(name)) || process.exitCode;
}
