import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Files } from '../../src/ports/files.js';
import { openFiles } from '../../src/services/files/index.js';
import { callTool, sessionOf } from './file-place.js';
import type { CallReport, CountReport, DriverCall, DriverOrder } from './files-driver.js';
import { forgetPeak, memoryOf } from './proc.js';

let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
const order = JSON.parse(text) as DriverOrder;
const { root, stateDir } = order;
const service = openFiles({ roots: [root], stateDir });
const tell = (line: unknown): boolean =>
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);

switch (order.job) {
  case 'write':
    await writeForEver(order.path, order.bytes);
    break;
  case 'write carelessly':
    writeCarelessly(join(root, order.path), order.bytes);
    break;
  case 'count':
    tell(await countTogether(order.path, order.sessions, order.times));
    break;
  case 'count carelessly':
    tell(countCarelessly(join(root, order.path), order.times));
    break;
  case 'call':
    for (const call of order.calls) tell(await measured(call));
}
await service.close();

/** Whole versions, each of one letter, one after the other until the process is killed. */
async function writeForEver(path: string, bytes: number): Promise<void> {
  const files = await service.serve(sessionOf('writer'));
  await files.read(path);
  tell('ready');
  for (let round = 0; ; round += 1) await files.write(path, versionOf(round, bytes));
}

function writeCarelessly(path: string, bytes: number): void {
  tell('ready');
  // Not for ever: somebody who is not killed would fill the machine with work.
  for (let round = 0; round < 100_000; round += 1) writeFileSync(path, versionOf(round, bytes));
}

function versionOf(round: number, bytes: number): string {
  return String.fromCharCode(97 + (round % 26)).repeat(bytes);
}

/** Each session reads a number and puts the next one in its place, by turns with Edit and with Write. */
async function countTogether(path: string, sessions: number, times: number): Promise<CountReport> {
  const report = { won: 0, told: 0, odd: [] as string[] };
  const counting = async (session: number): Promise<void> => {
    const files = await service.serve(sessionOf(`counter ${process.pid} ${session}`));
    for (let won = 0; won < times; ) {
      const outcome = await countOnce(path, files, (won + session) % 2 === 0);
      if (outcome === 'won') won += 1;
      if (outcome === 'won') report.won += 1;
      else if (outcome === 'told') report.told += 1;
      else report.odd.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: sessions }, (_, session) => counting(session)));
  return report;
}

async function countOnce(path: string, files: Files, isEdit: boolean): Promise<string> {
  const page = await files.read(path);
  const number = page.kind === 'text' ? Number(page.lines[0]?.text) : Number.NaN;
  const [before, after] = [`${number}\n`, `${number + 1}\n`];
  const answer = isEdit
    ? await callTool('Edit', { file_path: path, old_string: before, new_string: after }, files)
    : await callTool('Write', { file_path: path, content: after }, files);
  if ('text' in answer) return 'won';
  return answer.reason === 'changed_since_read' ? 'told' : `${answer.reason}: ${answer.message}`;
}

/** A draft and a rename, but nobody looks whether the number is still the same. */
function countCarelessly(path: string, times: number): CountReport {
  for (let round = 0; round < times; round += 1) {
    const number = Number(readFileSync(path, 'utf8'));
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${number + 1}\n`);
    renameSync(draft, path);
  }
  return { won: times, told: 0, odd: [] };
}

async function measured({ tool, input }: DriverCall): Promise<CallReport> {
  const files = await service.serve(sessionOf('measured'));
  // Code and buffers that come with the first call are not of this file.
  await callTool('Read', { file_path: 'small.txt' }, files);
  globalThis.gc?.();
  forgetPeak(process.pid);
  const { now: beforeBytes } = memoryOf(process.pid);
  const answer =
    tool === 'read whole' ? readWhole(join(root, input.file_path)) : await callTool(tool, input, files);
  return {
    answer: JSON.stringify(answer).slice(0, 4000),
    beforeBytes,
    peakBytes: memoryOf(process.pid).peak,
  };
}

function readWhole(path: string): string {
  return String(readFileSync(path).length);
}
