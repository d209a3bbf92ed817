import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDrafts, sweepDrafts } from './drafts.js';
import { type Holder, ownHolder } from '../../lib/process-holder.js';

let base: string;
let workspace: string;
let notes: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tidegate-drafts-'));
  workspace = join(base, 'workspace');
  notes = join(base, 'drafts');
  mkdirSync(workspace);
  mkdirSync(notes);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

async function deadHolder(): Promise<Holder> {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.once('exit', resolve));
  return { ...ownHolder(), pid: child.pid ?? 0, startTime: '1' };
}

function noteOf(gate: string, { pid, startTime, system }: Holder): string {
  return `${pid}.${startTime}.${system}.${gate}-1`;
}

function leave(gate: string, name: string, holder: Holder): void {
  writeFileSync(join(workspace, name), 'draft');
  writeFileSync(join(notes, noteOf(gate, holder)), join(workspace, name));
}

const gate = '0123456789abcdef';

describe('drafts of files', () => {
  it('are recorded while they exist', async () => {
    const drafts = createDrafts(base);
    const draft = await drafts.begin(workspace, 'name.txt');
    expect(draft.name).toMatch(/^\.name\.txt\.tidegate-[0-9a-f]{16}-1\.tmp$/);
    expect(readdirSync(notes)).toHaveLength(1);
    await draft.forget();
    expect(readdirSync(notes)).toEqual([]);
  });

  it('have names that every file system accepts, and that start like the file', async () => {
    const { name } = await createDrafts(base).begin(workspace, '€'.repeat(85));
    expect(Buffer.byteLength(name)).toBeLessThan(255);
    expect(name.startsWith(`.${'€'.repeat(63)}.tidegate-`)).toBe(true);
  });

  it('of a dead gateway are removed', async () => {
    leave(gate, `.a.txt.tidegate-${gate}-1.tmp`, await deadHolder());
    expect(await sweepDrafts(base)).toBe(1);
    expect([readdirSync(workspace), readdirSync(notes)]).toEqual([[], []]);
    expect(await sweepDrafts(base)).toBe(0);
  });

  it('of a running gateway stay, and those of another machine stay for an hour', async () => {
    leave(gate, `.a.txt.tidegate-${gate}-1.tmp`, ownHolder());
    const other = 'fedcba9876543210';
    const foreign = { ...ownHolder(), system: '0123' };
    leave(other, `.b.txt.tidegate-${other}-1.tmp`, foreign);
    expect(await sweepDrafts(base)).toBe(0);
    expect(readdirSync(workspace)).toHaveLength(2);
    const old = new Date(Date.now() - 4_000_000);
    utimesSync(join(notes, noteOf(other, foreign)), old, old);
    expect(await sweepDrafts(base)).toBe(1);
    expect(readdirSync(workspace)).toEqual([`.a.txt.tidegate-${gate}-1.tmp`]);
  });

  it('are recognized by name: nothing else is removed, whatever a record says', async () => {
    const holder = await deadHolder();
    leave(gate, 'precious.txt', holder);
    leave('fedcba9876543210', `.a.txt.tidegate-${gate}-1.tmp`, holder);
    writeFileSync(join(notes, 'strange'), 'x');
    writeFileSync(join(notes, noteOf('00000000000000aa', holder)), '');
    expect(await sweepDrafts(base)).toBe(0);
    expect(readdirSync(workspace).sort()).toEqual([`.a.txt.tidegate-${gate}-1.tmp`, 'precious.txt']);
    expect(readdirSync(notes)).toEqual(['strange']);
  });

  it('are regular files: a link with that name is left alone', async () => {
    const name = `.a.txt.tidegate-${gate}-1.tmp`;
    symlinkSync('/etc/passwd', join(workspace, name));
    writeFileSync(join(notes, noteOf(gate, await deadHolder())), join(workspace, name));
    expect(await sweepDrafts(base)).toBe(0);
    expect(readdirSync(workspace)).toEqual([name]);
  });

  it('are removed without a state directory too', async () => {
    expect(await sweepDrafts(join(base, 'nothing'))).toBe(0);
  });
});
