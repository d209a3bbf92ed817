import { spawn } from 'node:child_process';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const limitMs = 60_000;

/** The first minutes of a user, with one version of Node: `npx tidegate init`, then an agent lists and calls a tool. */
export async function answered(node, { folder, home }, place) {
  const bin = join(place, 'bin');
  await rm(bin, { recursive: true, force: true });
  await mkdir(bin);
  await symlink(node, join(bin, 'node'));
  const project = join(place, 'workspace');
  await rm(project, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
  await mkdir(home);
  await mkdir(project);
  await writeFile(join(project, 'note.txt'), 'the tide is high\n');
  await cp(join(folder, 'package.json'), join(project, 'package.json'));
  await symlink(join(folder, 'node_modules'), join(project, 'node_modules'));
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, NO_COLOR: '1', npm_config_offline: 'true' };
  const started = performance.now();
  const init = await ended(spawn('npx', ['tidegate', 'init', '--yes'], { cwd: project, env }));
  if (init.code !== 0) throw new Error(`init: ${init.text.slice(-1000)}`);
  const afterInit = performance.now();
  const text = await callRead(
    spawn('npx', ['tidegate', 'mcp'], { cwd: project, env }),
    join(project, 'note.txt'),
  );
  if (!text.includes('the tide is high')) throw new Error(`Read answered ${text.slice(0, 300)}`);
  const seconds = (from, to) => ((to - from) / 1000).toFixed(1);
  return `init ${seconds(started, afterInit)} s, answered after ${seconds(started, performance.now())} s`;
}

/** Speaks MCP to a gate on its standard streams: a list, then a call of Read. */
async function callRead(gate, file) {
  const errors = [];
  gate.stderr.on('data', (chunk) => errors.push(chunk));
  const timer = setTimeout(() => gate.kill('SIGKILL'), limitMs);
  const lines = createInterface({ input: gate.stdout })[Symbol.asyncIterator]();
  const send = (message) => gate.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = async (id) => {
    for (let next = await lines.next(); !next.done; next = await lines.next()) {
      const message = JSON.parse(next.value);
      if (message.id === id) return message.result;
    }
    throw new Error(`the gate ended: ${Buffer.concat(errors).toString().slice(-1000)}`);
  };
  try {
    const clientInfo = { name: 'first-minutes', version: '1' };
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    });
    await answer(1);
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/list' });
    const { tools } = await answer(2);
    if (!tools.some(({ name }) => name === 'Read')) throw new Error('there is no Read in the list');
    send({ id: 3, method: 'tools/call', params: { name: 'Read', arguments: { file_path: file } } });
    return JSON.stringify(await answer(3));
  } finally {
    clearTimeout(timer);
    gate.stdin.end();
    await ended(gate);
  }
}

function ended(child) {
  return new Promise((done) => {
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    const finish = (code) => {
      clearTimeout(timer);
      done({ code, text: Buffer.concat(chunks).toString() });
    };
    if (child.exitCode !== null) finish(child.exitCode);
    else child.once('close', finish);
  });
}
