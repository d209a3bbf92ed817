import { describe, expect, it } from 'vitest';
import type { Session } from '../../kernel/index.js';
import { createRunLimit } from './run-limit.js';

const operator = { id: 'o', chain: [{}] } as unknown as Session;
const agentAt = (depth: number): Session =>
  ({ id: 'a', parentSession: 'o', chain: Array.from({ length: depth }, () => ({})) }) as unknown as Session;

describe('the limit of runs that agents start', () => {
  it('lets sixteen go on at once, and the next when one has ended', () => {
    const limit = createRunLimit();
    const leave = Array.from({ length: 16 }, () => limit.enter(operator));
    expect(() => limit.enter(operator)).toThrow('16 runs go on already');
    expect(() => limit.enter(agentAt(1))).toThrow('16 runs go on already');
    leave[0]?.();
    // Twice is once.
    leave[0]?.();
    limit.enter(operator);
    expect(() => limit.enter(operator)).toThrow('16 runs go on already');
  });

  it('lets one agent of a run start fifty in all, and whoever is at the terminal as many as he likes', () => {
    const limit = createRunLimit();
    const agent = agentAt(1);
    for (let at = 0; at < 50; at += 1) limit.enter(agent)();
    expect(() => limit.enter(agent)).toThrow('may start no more');
    limit.enter(agentAt(1))();
    for (let at = 0; at < 200; at += 1) limit.enter(operator)();
  });

  it('goes no deeper than three', () => {
    const limit = createRunLimit();
    limit.enter(agentAt(3))();
    expect(() => limit.enter(agentAt(4))).toThrow('too deep');
  });
});
