import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Source } from '../core/index.js';
import { count } from '../../test/support/counts.js';
import { parseTuple } from './engine/index.js';
import {
  describeObject,
  formatPrincipal,
  groupOfGlob,
  groupOfTier,
  parseObject,
  parsePrincipal,
  principalObject,
  profileObject,
  providerId,
  providerObject,
  roleObject,
  toolObject,
  zoneObject,
} from './object-ids.js';

describe('a principal', () => {
  it.each(['agent:alice', 'user:ana@example.org', 'service:ci', 'agent:run-7/step.2', 'agent:_'])(
    'is parsed from %s and formatted the same',
    (text) => {
      const principal = parsePrincipal(text);
      expect(principal && formatPrincipal(principal)).toBe(text);
    },
  );

  it.each([
    '',
    'alice',
    'agent:',
    'robot:alice',
    'Agent:alice',
    'agent:/alice',
    'agent:alice/',
    'agent:a//b',
    'agent:../root',
    'agent:a/./b',
    'agent:a b',
    'agent:a\n',
    'agent:a#b',
    'agent:a:b',
    'agent:*',
    'agent:al%69ce',
    'agent:älice',
    `agent:${'a'.repeat(129)}`,
    'principal:agent/alice',
  ])('is not %j', (text) => {
    expect(parsePrincipal(text)).toBeUndefined();
  });

  it('has its own object type in tuples', () => {
    expect(principalObject({ kind: 'agent', id: 'alice' })).toBe('principal:agent/alice');
    expect(principalObject({ kind: 'user', id: 'a b:c#d%' })).toBe('principal:user/a%20b%3Ac%23d%25');
  });
});

describe('the provider of tools', () => {
  it('is named by its source', () => {
    expect(providerId('builtin')).toBe('builtin');
    expect(providerObject('server:github')).toBe('provider:server/github');
    expect(providerObject('plugin:x')).toBe('provider:plugin/x');
    expect(toolObject({ source: 'builtin', localName: 'Read' })).toBe('tool:builtin/Read');
    expect(toolObject({ source: 'server:github', localName: 'issues/create' })).toBe(
      'tool:server/github/issues/create',
    );
    expect(groupOfTier(3)).toBe('group:tier/3');
    expect(groupOfGlob('github_*')).toBe('group:glob/github_*');
    expect(profileObject('coding')).toBe('profile:coding');
  });

  it('cannot be named like everybody or another principal', () => {
    expect(profileObject('*')).toBe('profile:%2A');
    expect(toolObject({ source: 'server:a/b', localName: 'c' })).not.toBe(
      toolObject({ source: 'server:a', localName: 'b/c' }),
    );
  });

  it('is described in readable form', () => {
    const said = [
      principalObject({ kind: 'agent', id: 'alice' }),
      toolObject({ source: 'server:github', localName: 'create_issue' }),
      toolObject({ source: 'builtin', localName: 'Read' }),
      providerObject('server:github'),
      providerObject('builtin'),
      groupOfTier(2),
      groupOfGlob('find_*'),
      `${profileObject('coding')}#assignee`,
      'principal:*',
      'team:eng#member',
    ].map(describeObject);
    expect(said).toEqual([
      'agent:alice',
      'server:github/create_issue',
      'builtin/Read',
      'server:github',
      'builtin/*',
      'tier:2',
      'find_*',
      'profile:coding#assignee',
      'everybody',
      'team:eng#member',
    ]);
  });

  it.each([
    '',
    'tool',
    'tool:',
    'tool:other/x',
    'tool:server/x',
    'provider:server/x/y',
    'group:x/1',
    'role:*',
  ])('is not parsed from %j', (object) => {
    expect(parseObject(object)).toBeUndefined();
  });
});

describe('for any name', () => {
  const telling = ['a', 'b', '/', ':', '#', '%', '*', '@', ' ', '2F', '\u00a0', '\u2028', '\ud800', '\0'];
  // Binary strings contain lone surrogates, control characters and all special characters of ids.
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
    fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(...telling) }),
  );
  const source: fc.Arbitrary<Source> = fc.oneof(
    fc.constant<Source>('builtin'),
    fc.constant<Source>('workspace'),
    fc
      .tuple(fc.constantFrom('server' as const, 'plugin' as const), name)
      .map(([kind, text]) => `${kind}:${text}` as const),
  );
  const parts = fc.oneof(
    fc
      .record({ source, localName: name })
      .map((tool) => [toolObject(tool), { type: 'tool', ...tool }] as const),
    source.map((one) => [providerObject(one), { type: 'provider', source: one }] as const),
    name.map((text) => [groupOfGlob(text), { type: 'group', kind: 'glob', pattern: text }] as const),
    name.map((text) => [profileObject(text), { type: 'profile', name: text }] as const),
    name.map((text) => [roleObject(text), { type: 'role', name: text }] as const),
    name.map((text) => [zoneObject(text), { type: 'zone', name: text }] as const),
    fc
      .record({ kind: fc.constantFrom('user' as const, 'agent' as const, 'service' as const), id: name })
      .map((principal) => [principalObject(principal), { type: 'principal', principal }] as const),
  );

  it('the object is valid for the engine and unique, and parses back to the name', () => {
    const runs = { numRuns: count(20_000) };
    fc.assert(
      fc.property(parts, ([object, expected]) => {
        const tuple = { user: `${object}#assignee`, relation: 'caller', object };
        expect(parseTuple(tuple)).toMatchObject({ userObject: object, object, isWildcard: false });
        // Stores write UTF-8, which must not lose anything.
        expect(Buffer.from(object).toString()).toBe(object);
        expect(parseObject(object)).toEqual(expected);
      }),
      runs,
    );
  });
});
