import { describe, expect, it } from 'vitest';
import { createSandboxChoice } from './sandbox-choice.js';

function openChoice(trials: readonly (string | undefined)[]) {
  const state = { now: 0, tried: 0 };
  const find = () => Promise.resolve(trials[state.tried++]);
  return { state, choose: createSandboxChoice(find, () => state.now) };
}

describe('the choice of the sandbox', () => {
  it('keeps a working one', async () => {
    const { state, choose } = openChoice(['bwrap']);
    expect(await choose()).toBe('bwrap');
    state.now = 1e9;
    expect([await choose(), state.tried]).toEqual(['bwrap', 1]);
  });

  it('tries again a minute after a failed test, and not earlier', async () => {
    const { state, choose } = openChoice([undefined, undefined, 'bwrap']);
    expect(await choose()).toBeUndefined();
    state.now = 59_999;
    expect([await choose(), state.tried]).toEqual([undefined, 1]);
    state.now = 60_000;
    expect([await choose(), state.tried]).toEqual([undefined, 2]);
    state.now = 119_999;
    expect([await choose(), state.tried]).toEqual([undefined, 2]);
    state.now = 120_000;
    expect(await choose()).toBe('bwrap');
    state.now = 1e9;
    expect([await choose(), state.tried]).toEqual(['bwrap', 3]);
  });

  it('runs one test for all concurrent callers', async () => {
    const { state, choose } = openChoice([undefined]);
    expect(await Promise.all([choose(), choose(), choose()])).toEqual([undefined, undefined, undefined]);
    expect(state.tried).toBe(1);
  });
});
