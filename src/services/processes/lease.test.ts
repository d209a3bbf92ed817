import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaseFile, removeLease, sweepLeases, writeLease } from './lease.js';
import { createGateId, markName } from './mark.js';
import { createTag, endTagged, findTagged, within } from './tagged.fixture.js';

describe('leases', () => {
  let stateDir: string;
  const gateId = createGateId();
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tidegate-lease-'));
  });
  afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

  /** Our own lease, as another gateway would have written it. */
  const writeAltered = (change: Readonly<Record<string, unknown>>) => {
    const file = leaseFile(stateDir, gateId);
    writeLease(file, gateId);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
    return file;
  };
  const age = (file: string, days: number) => {
    const then = Date.now() / 1000 - days * 86_400;
    utimesSync(file, then, then);
  };

  it('a sweep of a missing or empty directory does nothing', async () => {
    expect(await sweepLeases(join(stateDir, 'missing'))).toEqual({ leases: 0, processes: 0 });
    mkdirSync(join(stateDir, 'leases'));
    expect(await sweepLeases(stateDir)).toEqual({ leases: 0, processes: 0 });
  });

  it('a running gateway keeps its lease until it removes it', async () => {
    const file = leaseFile(stateDir, gateId);
    writeLease(file, gateId);
    expect(await sweepLeases(stateDir)).toEqual({ leases: 0, processes: 0 });
    expect(existsSync(file)).toBe(true);
    removeLease(file);
    expect(readdirSync(join(stateDir, 'leases'))).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'a gateway whose pid belongs to another process is dead',
    async () => {
      const tag = createTag();
      const env = { PATH: '/usr/bin:/bin', [markName]: `${gateId}.1` };
      spawn('setsid', ['sh', '-c', `trap "" TERM; sleep ${tag}`], { env, detached: true, stdio: 'ignore' });
      await within(2000, 'the orphan', () => findTagged(tag).length === 2);
      writeAltered({ startTime: '1' });
      expect(await sweepLeases(stateDir)).toEqual({ leases: 1, processes: 2 });
      expect(findTagged(tag)).toEqual([]);
      expect(readdirSync(join(stateDir, 'leases'))).toEqual([]);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'a lease of another machine or container is left alone for a month',
    async () => {
      const tag = createTag();
      spawn('sleep', [tag], { env: { PATH: '/usr/bin:/bin', [markName]: `${gateId}.1` }, stdio: 'ignore' });
      await within(2000, 'the child', () => findTagged(tag).length === 1);
      const file = writeAltered({ system: 'elsewhere', pid: 4_000_000 });
      expect(await sweepLeases(stateDir)).toEqual({ leases: 0, processes: 0 });
      age(file, 31);
      expect(await sweepLeases(stateDir)).toEqual({ leases: 1, processes: 0 });
      expect(findTagged(tag)).toHaveLength(1);
      endTagged(tag);
    },
  );

  it.each([
    ['no JSON', '{"pid":'],
    [
      'an id that would match every gateway',
      JSON.stringify({ pid: 4_000_000, gateId: '', startTime: '', system: '' }),
    ],
  ])('a lease with %s ends no process, and is deleted when it is old', async (_name, text) => {
    const file = leaseFile(stateDir, gateId);
    mkdirSync(join(stateDir, 'leases'));
    writeFileSync(file, text);
    expect(await sweepLeases(stateDir)).toEqual({ leases: 0, processes: 0 });
    age(file, 1);
    expect(await sweepLeases(stateDir)).toEqual({ leases: 1, processes: 0 });
  });

  it('files with other names are not ours', async () => {
    mkdirSync(join(stateDir, 'leases'));
    writeFileSync(join(stateDir, 'leases', 'notes.txt'), '');
    age(join(stateDir, 'leases', 'notes.txt'), 400);
    expect(await sweepLeases(stateDir)).toEqual({ leases: 0, processes: 0 });
    expect(readdirSync(join(stateDir, 'leases'))).toEqual(['notes.txt']);
  });
});
