// Our own tools, through a warm gateway, compared with the simplest alternative.
import { spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClient } from './json-lines.mjs';
import { median } from './statistics.mjs';

const gigabyte = 2 ** 30;
const pageLines = 2000;

/** Interleaved: each tool, and a minimal program with the same effect. In milliseconds. */
export async function measureTools(program, rounds) {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-bench-files-'));
  const client = openClient(
    [process.execPath, program, 'mcp'],
    { TIDEGATE_HOME: join(folder, 'state') },
    folder,
  );
  try {
    await client.initialize();
    const large = await writeLines(join(folder, 'large.log'), gigabyte);
    // Two files, because Edit notices when another program changes its file.
    const [small, other] = [
      await writeLines(join(folder, 'small.txt'), 2 ** 20),
      await writeLines(join(folder, 'other.txt'), 2 ** 20),
    ];
    return {
      n: rounds,
      read: await beside(
        rounds,
        () => readEnd(client, large),
        () => tail(large),
      ),
      edit: await beside(
        rounds,
        () => edit(client, small),
        () => plainEdit(other),
      ),
    };
  } finally {
    await client.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function beside(rounds, ours, plain) {
  const times = { ours: [], plain: [] };
  await ours();
  for (let round = 0; round < rounds; round += 1) {
    times.plain.push(await timed(plain));
    times.ours.push(await timed(ours));
  }
  return { ours: median(times.ours), plain: median(times.plain) };
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function writeLines(path, bytes) {
  const block = Buffer.from(
    Array.from({ length: 2 ** 14 }, (_, at) => `line ${at} of a long log file\n`).join(''),
  );
  const file = await open(path, 'w');
  for (let written = 0; written < bytes; written += block.length) await file.write(block);
  await file.write('last line\n');
  await file.close();
  return path;
}

async function call(client, name, args) {
  const { result, error } = await client.request('tools/call', { name, arguments: args });
  if (error !== undefined || result.isError === true)
    throw new Error(`${name}: ${JSON.stringify(error ?? result)}`);
  return result;
}

async function readEnd(client, path) {
  const { structuredContent } = await call(client, 'Read', { file_path: path, offset: -pageLines });
  if (!structuredContent.content.trimEnd().endsWith('last line')) throw new Error('not the end of the file');
}

function tail(path) {
  return new Promise((done, failed) => {
    const child = spawn('tail', ['-n', String(pageLines), path], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.resume();
    child.once('error', failed);
    child.once('close', done);
  });
}

async function edit(client, path) {
  await call(client, 'Edit', { file_path: path, old_string: 'last line', new_string: 'LAST line' });
  await call(client, 'Edit', { file_path: path, old_string: 'LAST line', new_string: 'last line' });
}

/** Also atomic and durable, but without a check for concurrent changes and without a diff. */
async function plainEdit(path) {
  for (const [from, to] of [
    ['last line', 'LAST line'],
    ['LAST line', 'last line'],
  ]) {
    const text = await readFile(path, 'utf8');
    await writeFile(
      `${path}.tmp`,
      text.replace(from, () => to),
    );
    const file = await open(`${path}.tmp`, 'r');
    await file.sync();
    await file.close();
    await rename(`${path}.tmp`, path);
  }
}
