import { describe, expect, it } from 'vitest';
import type { Session } from '../../core/index.js';
import { createRunLimit } from './run-limit.js';

const all = { rights: 'all' };
const operator = { id: 'o', chain: [all] } as unknown as Session;
const agentAt = (depth: number): Session =>
  ({ id: 'a', parentSession: 'o', chain: Array.from({ length: depth }, () => all) }) as unknown as Session;

const callerOf = (id: string): Session =>
  ({ id, chain: [{ rights: 'own', principal: { kind: 'agent', id, zone: 'local' } }] }) as unknown as Session;

describe('the limit on runs started by agents', () => {
  it('allows sixteen concurrent runs, and another when one ends', () => {
    const limit = createRunLimit();
    const leave = Array.from({ length: 16 }, () => limit.enter(operator));
    expect(() => limit.enter(operator)).toThrow('16 runs are already active');
    expect(() => limit.enter(agentAt(1))).toThrow('16 runs are already active');
    leave[0]?.();
    // Releasing a run twice counts once.
    leave[0]?.();
    limit.enter(operator);
    expect(() => limit.enter(operator)).toThrow('16 runs are already active');
  });

  it('leaves runs for others if one principal is at its limit', () => {
    const limit = createRunLimit();
    const [alice, bob] = [callerOf('alice'), callerOf('bob')];
    for (let at = 0; at < 16; at += 1) limit.enter(alice);
    expect(() => limit.enter(alice)).toThrow('16 runs are already active');
    limit.enter(bob);
    limit.enter(operator);
  });

  it('allows one agent fifty runs in total, and the operator any number', () => {
    const limit = createRunLimit();
    const agent = agentAt(1);
    for (let at = 0; at < 50; at += 1) limit.enter(agent)();
    expect(() => limit.enter(agent)).toThrow('has already started 50 runs');
    limit.enter(agentAt(1))();
    for (let at = 0; at < 200; at += 1) limit.enter(operator)();
  });

  it('allows three levels of nesting', () => {
    const limit = createRunLimit();
    limit.enter(agentAt(3))();
    expect(() => limit.enter(agentAt(4))).toThrow('nested too deeply');
  });
});
