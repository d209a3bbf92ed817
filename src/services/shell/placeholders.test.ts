import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlaceholders, removeRecorded } from './placeholders.js';

describe('placeholders', () => {
  let base: string;
  let wanted: readonly string[];
  const record = (gate = 'gate') => join(base, 'state', gate, 'folders.jsonl');
  const found = () => readdirSync(base).filter((name) => name !== 'state');

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'tidegate-placeholders-'));
    wanted = [join(base, '.vscode'), join(base, '.vscode', '.inner'), join(base, '.claude')];
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('exist while a command needs them, and are removed after the last', () => {
    const placeholders = createPlaceholders(record());
    const [first, second] = [placeholders.hold(wanted), placeholders.hold(wanted)];
    expect(found()).toEqual(['.claude', '.vscode']);
    first();
    first();
    expect(existsSync(join(base, '.vscode', '.inner'))).toBe(true);
    second();
    expect(found()).toEqual([]);
    expect(existsSync(record())).toBe(false);
  });

  it('[15.46] are removed even if nothing can be written', () => {
    const release = createPlaceholders(record()).hold(wanted);
    rmSync(join(base, 'state'), { recursive: true });
    writeFileSync(join(base, 'state'), 'a file in the place of the folder');
    expect(() => release()).not.toThrow();
    expect(found()).toEqual([]);
  });

  it('stay if they are no longer empty', () => {
    const release = createPlaceholders(record()).hold(wanted);
    writeFileSync(join(base, '.vscode', 'settings.json'), '{}');
    release();
    expect(found()).toEqual(['.vscode']);
    expect(readdirSync(join(base, '.vscode'))).toEqual(['settings.json']);
  });

  it('are shared with other gateways, and the last one removes them', async () => {
    const [one, other] = [createPlaceholders(record('one')), createPlaceholders(record('other'))];
    const releaseOne = one.hold(wanted);
    expect([...other.held()]).toEqual(wanted);
    const releaseOther = other.hold(wanted);
    releaseOne();
    expect(found()).toEqual(['.claude', '.vscode']);
    await removeRecorded(record('one'));
    expect(found()).toEqual(['.claude', '.vscode']);
    releaseOther();
    expect(found()).toEqual([]);
    expect(one.held().size).toBe(0);
  });

  it('of a dead gateway are removed by its record', async () => {
    createPlaceholders(record()).hold(wanted);
    writeFileSync(join(base, '.claude', 'file'), 'filled');
    await removeRecorded(record());
    expect(found()).toEqual(['.claude']);
    await removeRecorded(join(base, 'no', 'such', 'file'));
  });

  it('that cannot be created are ignored', () => {
    const release = createPlaceholders(record()).hold(['/proc/none/x']);
    release();
    expect(found()).toEqual([]);
  });
});
