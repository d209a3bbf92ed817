import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlaceholders, type Missing, removeRecorded } from './placeholders.js';

describe('placeholders', () => {
  let base: string;
  let wanted: readonly Missing[];
  const record = (gate = 'gate') => join(base, 'state', gate, 'placeholders.json');
  const found = () => readdirSync(base).filter((name) => name !== 'state');

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'tidegate-placeholders-'));
    wanted = [
      { path: join(base, '.claude'), kind: 'folder' },
      { path: join(base, '.claude', 'settings.json'), kind: 'file' },
      { path: join(base, '.mcp.json'), kind: 'file' },
    ];
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('are there while somebody needs them, and gone after the last', () => {
    const placeholders = createPlaceholders(record());
    const [first, second] = [placeholders.hold(wanted), placeholders.hold(wanted)];
    expect(found()).toEqual(['.claude', '.mcp.json']);
    first();
    first();
    expect(existsSync(join(base, '.claude', 'settings.json'))).toBe(true);
    second();
    expect(found()).toEqual([]);
    expect(existsSync(record())).toBe(false);
  });

  it('stay when somebody filled them', () => {
    const release = createPlaceholders(record()).hold(wanted);
    writeFileSync(join(base, '.mcp.json'), '{}');
    writeFileSync(join(base, '.claude', 'other'), '');
    release();
    expect(found()).toEqual(['.claude', '.mcp.json']);
    expect(readdirSync(join(base, '.claude'))).toEqual(['other']);
  });

  it('are shared with other gates, and the last one removes them', () => {
    const [one, other] = [createPlaceholders(record('one')), createPlaceholders(record('other'))];
    const releaseOne = one.hold(wanted);
    expect([...other.held()]).toEqual(wanted.map(({ path }) => path));
    const releaseOther = other.hold(wanted);
    releaseOne();
    expect(found()).toEqual(['.claude', '.mcp.json']);
    removeRecorded(record('one'));
    expect(found()).toEqual(['.claude', '.mcp.json']);
    releaseOther();
    expect(found()).toEqual([]);
    expect(one.held().size).toBe(0);
  });

  it('of a gate that died are removed by its record', () => {
    createPlaceholders(record()).hold(wanted);
    writeFileSync(join(base, '.mcp.json'), 'filled');
    removeRecorded(record());
    expect(found()).toEqual(['.mcp.json']);
    removeRecorded(join(base, 'no-such-file'));
  });

  it('that cannot be made are not missed', () => {
    const release = createPlaceholders(record()).hold([{ path: '/proc/none/x', kind: 'file' }]);
    release();
    expect(found()).toEqual([]);
  });
});
