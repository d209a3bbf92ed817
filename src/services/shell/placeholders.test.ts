import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlaceholders, removeRecorded } from './placeholders.js';

describe('placeholders', () => {
  let base: string;
  let wanted: readonly string[];
  const record = (gate = 'gate') => join(base, 'state', gate, 'placeholders.json');
  const found = () => readdirSync(base).filter((name) => name !== 'state');

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'tidegate-placeholders-'));
    wanted = [join(base, '.vscode'), join(base, '.vscode', '.inner'), join(base, '.claude')];
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('are there while somebody needs them, and gone after the last', () => {
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

  it('stay when somebody filled them', () => {
    const release = createPlaceholders(record()).hold(wanted);
    writeFileSync(join(base, '.vscode', 'settings.json'), '{}');
    release();
    expect(found()).toEqual(['.vscode']);
    expect(readdirSync(join(base, '.vscode'))).toEqual(['settings.json']);
  });

  it('are shared with other gates, and the last one removes them', () => {
    const [one, other] = [createPlaceholders(record('one')), createPlaceholders(record('other'))];
    const releaseOne = one.hold(wanted);
    expect([...other.held()]).toEqual(wanted);
    const releaseOther = other.hold(wanted);
    releaseOne();
    expect(found()).toEqual(['.claude', '.vscode']);
    removeRecorded(record('one'));
    expect(found()).toEqual(['.claude', '.vscode']);
    releaseOther();
    expect(found()).toEqual([]);
    expect(one.held().size).toBe(0);
  });

  it('of a gate that died are removed by its record', () => {
    createPlaceholders(record()).hold(wanted);
    writeFileSync(join(base, '.claude', 'file'), 'filled');
    removeRecorded(record());
    expect(found()).toEqual(['.claude']);
    removeRecorded(join(base, 'no', 'such', 'file'));
  });

  it('that cannot be made are not missed', () => {
    const release = createPlaceholders(record()).hold(['/proc/none/x']);
    release();
    expect(found()).toEqual([]);
  });
});
