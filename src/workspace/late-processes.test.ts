import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessOrder } from '../ports/processes.js';
import { openLateProcesses, sweepLeftovers } from './late-processes.js';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'tidegate-late-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

const order: ProcessOrder = { owner: 'test', command: '/bin/cat', args: [], cwd: '/', env: {} };
const leases = (): readonly string[] => readdirSync(join(stateDir, 'leases'));

describe('processes that are loaded late', () => {
  it('start children, and end them on close', async () => {
    const processes = openLateProcesses({ stateDir, log: () => {} });
    const children = await Promise.all([processes.start(order), processes.start(order)]);
    expect(new Set(children.map(({ pid }) => pid)).size).toBe(2);
    expect(leases()).toHaveLength(1);
    await Promise.all(children.map((child) => child.close()));
    await processes.close();
  });

  it('start nothing after close, whether loaded or not', async () => {
    const processes = openLateProcesses({ stateDir, log: () => {} });
    const starting = processes.start(order);
    const refused = expect(starting).rejects.toThrow('closing');
    await processes.close();
    await refused;
    await expect(processes.start(order)).rejects.toThrow('closing');
    const unused = openLateProcesses({ stateDir, log: () => {} });
    await unused.close();
    await expect(unused.start(order)).rejects.toThrow('closing');
  });

  it('end processes that dead gateways left running', async () => {
    await sweepLeftovers(stateDir);
    mkdirSync(join(stateDir, 'leases'));
    // Without an owner, and too old to be still being created.
    const file = join(stateDir, 'leases', `1-${'0'.repeat(32)}`);
    writeFileSync(file, '{');
    utimesSync(file, 0, 0);
    await sweepLeftovers(stateDir);
    expect(leases()).toEqual([]);
  });
});
