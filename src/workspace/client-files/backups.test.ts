import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openBackups } from './backups.js';

const home = mkdtempSync(join(tmpdir(), 'tidegate-backups-'));
const folder = join(home, 'backups');
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const options = {
  client: 'claude-code',
  via: '/a',
  file: '/a',
  before: Buffer.from('old'),
  after: 'new',
  changes: [],
};

describe('an incomplete backup of a killed import', () => {
  it('is deleted, but nothing of a complete backup and no other file', () => {
    const backups = openBackups(home);
    const whole = backups.keep(options);
    const aside = backups.setAside('codex', Buffer.from('mine'));
    const id = '2026-01-02T03-04-05-678Z-claude-code-0123abcd';
    const left = [
      `${id}.before`,
      `${id}.after`,
      `${id}.json.11111111-2222-3333-4444-555555555555.draft`,
      `${whole.id}.json.11111111-2222-3333-4444-555555555555.draft`,
    ];
    for (const name of left) {
      writeFileSync(join(folder, name), 'secret');
      utimesSync(join(folder, name), new Date(), new Date(Date.now() - 3_600_000));
    }
    const foreign = ['notes.before', `${id}.before.mine`];
    for (const name of foreign) writeFileSync(join(folder, name), 'kept');
    backups.sweep();
    const kept = ['json', 'before', 'after'].map((ending) => `${whole.id}.${ending}`);
    expect(readdirSync(folder).sort()).toEqual([...kept, ...foreign, aside.slice(folder.length + 1)].sort());
    expect(backups.read(whole, 'before')?.toString()).toBe('old');
  });

  it('stays while an import may still be running', () => {
    mkdirSync(folder);
    writeFileSync(join(folder, '2026-01-02T03-04-05-678Z-cursor-0123abcd.before'), 'secret');
    openBackups(home).sweep();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('is empty if there are no backups', () => {
    expect(() => openBackups(home).sweep()).not.toThrow();
  });
});
