import { describe, expect, it } from 'vitest';
import { createSlots } from './slots.js';

function openGate() {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), passed };
}

describe('slots', () => {
  it('let a fixed number through at a time, in order of arrival', async () => {
    const through = createSlots(2, 10_000);
    const gates = Array.from({ length: 5 }, openGate);
    const begun: number[] = [];
    const all = gates.map(({ passed }, place) =>
      through(async () => {
        begun.push(place);
        await passed;
        return place;
      }),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    gates[1]?.open();
    await all[1];
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual([0, 1, 2]);
    for (const { open } of gates) open();
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
  });

  it('time out a waiting caller and forget it', async () => {
    const through = createSlots(1, 20);
    const gate = openGate();
    const first = through(() => gate.passed);
    await expect(through(async () => 'late')).rejects.toThrow('too many tasks are waiting');
    gate.open();
    await first;
    expect(await through(async () => 'next')).toBe('next');
  });

  it('free their place when a caller fails', async () => {
    const through = createSlots(1, 1000);
    const failing = through(async () => {
      throw new Error('mine');
    });
    const next = through(async () => 'next');
    await expect(failing).rejects.toThrow('mine');
    expect(await next).toBe('next');
  });
});
