import { describe, expect, it } from 'vitest';
import type { Caller, Principal } from '../../core/index.js';
import type { TokenRecord } from '../ports/index.js';
import { attenuate, hasExpired, maxDelegations, statusOf } from './chain.js';

const ana: Principal = { kind: 'user', id: 'ana', zone: 'local' };
const helper: Principal = { kind: 'agent', id: 'helper', zone: 'local' };
const operator: Caller = {
  principal: ana,
  chain: [{ principal: ana, rights: 'all' }],
  credential: 'operator',
};

function record(id: string, more: Partial<TokenRecord> = {}): TokenRecord {
  return { id, zone: 'local', hash: '', principal: 'agent:a', createdBy: 'user:ana', createdAt: 0, ...more };
}

function status(...records: readonly [TokenRecord, ...TokenRecord[]]) {
  const byId = new Map(records.map((one) => [one.id, one]));
  const found = statusOf({ token: (id) => byId.get(id) }, 'local', records[0]);
  if (found instanceof Promise) throw new Error('the answer was not synchronous');
  return found;
}

describe('the status of a token', () => {
  it('has its principal and limits', () => {
    const found = status(record('t1', { profile: 'coding', tools: ['Read', 'x_*'] }));
    expect(found).toMatchObject({
      kind: 'good',
      caller: {
        principal: { kind: 'agent', id: 'a', zone: 'local' },
        credential: 'token:t1',
        chain: [{ rights: 'own', profile: 'coding', tools: ['Read', 'x_*'], tokenId: 't1' }],
      },
    });
    expect(Object.isFrozen(found.kind === 'good' && found.caller.chain[0])).toBe(true);
  });

  it('follows a chain: only the first link has its own rights', () => {
    const found = status(
      record('t3', { parent: 't2', principal: 'agent:c', tools: ['Read'] }),
      record('t2', { parent: 't1', principal: 'agent:b', profile: 'minimal' }),
      record('t1', { profile: 'coding' }),
    );
    expect(
      found.kind === 'good' && found.caller.chain.map(({ rights, tokenId }) => `${rights} ${tokenId ?? ''}`),
    ).toEqual(['own t1', 'inherited t2', 'inherited t3']);
    expect(found).toMatchObject({ caller: { principal: { id: 'c' }, credential: 'token:t3' } });
  });

  it.each([
    ['token_revoked', [record('t', { revokedAt: 5 })]],
    ['token_unknown', [record('t', { zone: 'other' })]],
    ['token_malformed', [record('t', { principal: 'nobody' })]],
    ['parent_void', [record('t', { parent: 'gone' })]],
    ['parent_void', [record('t', { parent: 'p' }), record('p', { revokedAt: 5 })]],
    ['parent_void', [record('t', { parent: 'p' }), record('p', { zone: 'other' })]],
    ['parent_void', [record('t', { parent: 'p' }), record('p', { principal: '' })]],
    [
      'parent_void',
      [record('t', { parent: 'p' }), record('p', { parent: 'q' }), record('q', { revokedAt: 1 })],
    ],
    ['parent_void', [record('t', { parent: 't' })]],
    ['parent_void', [record('t', { parent: 'p' }), record('p', { parent: 't' })]],
  ] as const)('is %s', (reason, records) => {
    const [first, ...others] = records;
    expect(status(first, ...others)).toMatchObject({ kind: 'void', reason });
  });

  it('is the same for a token of another zone and an unknown one', () => {
    expect(status(record('t', { zone: 'other', revokedAt: 1 }))).toEqual({
      kind: 'void',
      reason: 'token_unknown',
    });
  });

  it('has eight links at most', () => {
    const chain = (links: number): readonly [TokenRecord, ...TokenRecord[]] => [
      record('t1', links > 1 ? { parent: 't2' } : {}),
      ...Array.from({ length: links - 1 }, (_, at) =>
        record(`t${String(at + 2)}`, at + 2 < links ? { parent: `t${String(at + 3)}` } : {}),
      ),
    ];
    expect(maxDelegations).toBe(8);
    const eight = status(...chain(8));
    expect(eight.kind === 'good' && eight.caller.chain.length).toBe(8);
    expect(status(...chain(9))).toMatchObject({ kind: 'void', reason: 'parent_void' });
  });

  it('ends when the token or one of its parents expires', () => {
    const found = status(
      record('t3', { parent: 't2', expiresAt: 300 }),
      record('t2', { parent: 't1' }),
      record('t1', { expiresAt: 200 }),
    );
    if (found.kind === 'void') throw new Error('it is still valid');
    expect([199, 200, 300].map((now) => hasExpired(found, now))).toEqual([undefined, 'parent', 'itself']);
  });
});

describe('attenuate', () => {
  it('adds a link and keeps the limits of all others', () => {
    const child = attenuate(operator, { principal: helper, profile: 'minimal', tools: ['Read'] });
    expect(child).toEqual({
      principal: helper,
      chain: [
        { principal: ana, rights: 'all' },
        { principal: helper, rights: 'inherited', profile: 'minimal', tools: ['Read'] },
      ],
      credential: 'operator/agent%3Ahelper',
    });
    expect(Object.isFrozen(child.chain)).toBe(true);
    expect(operator.chain).toHaveLength(1);
  });

  it('keeps the principal if none is given', () => {
    expect(attenuate(operator, {}).chain[1]).toEqual({ principal: ana, rights: 'inherited' });
  });

  it('uses its own credential if it has one', () => {
    const child = attenuate(operator, { tokenId: 'tok_x' });
    expect(child).toMatchObject({ credential: 'token:tok_x', chain: [{}, { tokenId: 'tok_x' }] });
  });

  it('gives different chains different credentials', () => {
    const one = attenuate(operator, { principal: { ...helper, id: 'a/agent:b' } });
    const other = attenuate(attenuate(operator, { principal: { ...helper, id: 'a' } }), {
      principal: { ...helper, id: 'b' },
    });
    expect(one.credential).not.toBe(other.credential);
  });

  it('stays in its zone', () => {
    expect(() => attenuate(operator, { principal: { ...helper, zone: 'other' } })).toThrow(
      expect.objectContaining({ code: 'token.foreign_zone' }),
    );
  });

  it('is limited to eight links', () => {
    let caller = operator;
    for (let links = 1; links < 8; links += 1) caller = attenuate(caller, { principal: helper });
    expect(caller.chain).toHaveLength(8);
    expect(() => attenuate(caller, {})).toThrow(expect.objectContaining({ code: 'token.too_deep' }));
  });
});
