import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilePlace, openFilePlace } from '../support/file-place.js';
import { type CallReport, type Driver, type DriverCall, openDriver } from '../support/files-driver.js';
import { hasProc } from '../support/proc.js';

const megabyte = 1024 * 1024;
const bound = 64 * megabyte;
const tenGigabytes = 10 * 1024 * megabyte;

let place: FilePlace;
let driver: Driver;
let hasDevice = false;

function sparse(name: string, head: string, tail: string, size = tenGigabytes): void {
  const file = openSync(join(place.root, name), 'w');
  writeSync(file, head, 0);
  ftruncateSync(file, size - tail.length);
  writeSync(file, tail, size - tail.length);
  closeSync(file);
}

beforeAll(async () => {
  place = await openFilePlace();
  driver = await openDriver();
  const at = (name: string): string => join(place.root, name);
  execFileSync('mkfifo', [at('pipe')]);
  hasDevice = spawnSync('mknod', [at('device'), 'c', '1', '5']).status === 0;
  symlinkSync('/dev/zero', at('zero-link'));
  writeFileSync(at('small.txt'), 'small');
  const lines = 'a line of text\n'.repeat(10_000);
  sparse('zeros.bin', '', '');
  sparse('holes.txt', lines, lines);
  sparse('more-holes.txt', lines, lines);
  sparse('one-line.txt', 'a'.repeat(100_000), 'a');
  writeFileSync(at('wide.txt'), `${'x'.repeat(30 * megabyte)}\nend\n`);
  writeFileSync(at('binary'), Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256)));
});
afterAll(async () => {
  driver.close();
  await place.close();
});

async function drive(calls: readonly DriverCall[]): Promise<readonly CallReport[]> {
  const driven = driver.start({ job: 'call', root: place.root, stateDir: place.stateDir, calls });
  const reports: CallReport[] = [];
  while (reports.length < calls.length) reports.push(JSON.parse(await driven.next()) as CallReport);
  await driven.ended();
  return reports;
}

const every = (file_path: string): readonly DriverCall[] => [
  { tool: 'Read', input: { file_path } },
  { tool: 'Read', input: { file_path, offset: -5 } },
  { tool: 'Edit', input: { file_path, old_string: 'a line', new_string: 'x' } },
  { tool: 'Write', input: { file_path, content: 'x' } },
];

describe.skipIf(!hasProc)('a hostile file (skipped: no /proc to measure memory)', () => {
  it.each(['zeros.bin', 'holes.txt', 'one-line.txt', 'wide.txt', 'binary', 'pipe', 'zero-link'])(
    'is handled in bounded memory: %s',
    async (name) => {
      const calls = every(name);
      const reports = await drive(calls);
      for (const [index, { answer, beforeBytes, peakBytes }] of reports.entries()) {
        const growth = peakBytes - beforeBytes;
        console.log(
          `${calls[index]?.tool ?? ''} ${name}: +${Math.round(growth / megabyte)} MB: ${answer.slice(0, 120)}`,
        );
        expect(growth).toBeLessThan(bound);
      }
      // A file is edited only if it can be held in memory.
      const isLarge = ['zeros.bin', 'holes.txt', 'one-line.txt'].includes(name);
      if (isLarge) expect(reports[2]?.answer).toMatch(/too_large|not_text/);
    },
  );

  it('of ten gigabytes shows its last lines, and its first', async () => {
    const [first, last] = await drive([
      { tool: 'Read', input: { file_path: 'more-holes.txt', limit: 2 } },
      { tool: 'Read', input: { file_path: 'more-holes.txt', offset: -2 } },
    ]);
    expect(JSON.parse(first?.answer ?? '')).toMatchObject({
      text: expect.stringContaining('     1\ta line of text\n'),
    });
    expect(JSON.parse(last?.answer ?? '')).toMatchObject({
      text: expect.stringContaining('    -1\ta line of text\n'),
    });
  });

  it('control: reading whole files needs that much memory', async () => {
    sparse('whole', '', '', 400 * megabyte);
    const [report] = await drive([{ tool: 'read whole', input: { file_path: 'whole' } }]);
    expect((report?.peakBytes ?? 0) - (report?.beforeBytes ?? 0)).toBeGreaterThan(bound);
  });
});

it('a pipe, a socket and a device are refused at once, with their type', async () => {
  const server = createServer().listen(join(place.root, 'socket'));
  const kinds = [
    ['pipe', 'a named pipe'],
    ['socket', 'a socket'],
    ...(hasDevice ? [['device', 'a device']] : []),
  ] as const;
  for (const [name = '', kind = ''] of kinds) {
    for (const [tool, more] of [
      ['Read', {}],
      ['Write', { content: 'x' }],
      ['Edit', { old_string: 'a', new_string: 'b' }],
    ] as const) {
      expect(await place.call(tool, { file_path: name, ...more })).toMatchObject({
        reason: 'not_a_regular_file',
        message: `${name} is ${kind}, not a regular file.`,
      });
    }
  }
  await new Promise((resolve) => server.close(resolve));
  expect(readdirSync(place.root)).toContain('pipe');
});
