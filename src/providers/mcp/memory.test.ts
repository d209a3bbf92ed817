import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryKey, openFileMemory } from './memory.js';

const catalogue = {
  tools: ['{"name":"a","n":12345678901234567890}'],
  prompts: [],
  resources: [],
  templates: [],
  hasResources: true,
};

describe('the catalog cache on disk', () => {
  let stateDir: string;
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tidegate-memory-'));
  });
  afterEach(() => rmSync(stateDir, { recursive: true, force: true }));
  const folder = (): string => join(stateDir, 'upstreams');

  it('returns exactly what was stored', () => {
    openFileMemory(stateDir).write('k', { catalogue, protocol: 'modern', at: 5 });
    expect(openFileMemory(stateDir).read('k')).toEqual({ catalogue, protocol: 'modern', at: 5 });
  });

  it('is readable only by its owner and leaves no temporary files', () => {
    openFileMemory(stateDir).write('k', { at: 5 });
    expect(readdirSync(folder())).toEqual(['k.json']);
    expect(statSync(join(folder(), 'k.json')).mode & 0o777).toBe(0o600);
  });

  it('ignores files that are missing, damaged or in another format', () => {
    const memory = openFileMemory(stateDir);
    expect(memory.read('k')).toBeUndefined();
    memory.write('k', { catalogue, at: 5 });
    const file = join(folder(), 'k.json');
    const good = readFileSync(file, 'utf8');
    for (const text of ['', good.slice(0, -5), '[]', good.replace('"format":1', '"format":0')]) {
      writeFileSync(file, text);
      expect(memory.read('k')).toBeUndefined();
    }
    writeFileSync(
      file,
      JSON.stringify({ format: 1, at: 5, protocol: 'x', catalogue: { ...catalogue, tools: ['{'] } }),
    );
    expect(memory.read('k')).toEqual({ at: 5 });
  });

  it('does not fail if it cannot write', () => {
    writeFileSync(join(stateDir, 'upstreams'), 'a file in the way');
    expect(() => openFileMemory(stateDir).write('k', { at: 5 })).not.toThrow();
  });

  it('distinguishes servers by their whole configuration, without revealing it', () => {
    const http = { kind: 'http', url: 'http://localhost/', headers: { authorization: 'secret' } } as const;
    const key = memoryKey('a', http);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(memoryKey('a', http)).toBe(key);
    expect(memoryKey('a', { ...http, headers: {} })).not.toBe(key);
    expect(memoryKey('b', http)).not.toBe(key);
  });
});
