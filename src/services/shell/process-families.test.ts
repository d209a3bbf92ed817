import { describe, expect, it } from 'vitest';
import { createProcessFamilies, type Seen } from './process-families.js';

const none = { memory: 0, processes: 0, cpuSeconds: 0 };
const seen = (pid: number, parent: number, more: Partial<Seen> = {}): Seen => ({
  pid,
  parent,
  start: String(pid),
  cpuTicks: 0,
  pages: 0,
  ...more,
});

function open(all: () => readonly Seen[], shareOf: (pid: number) => number = () => 0, readMs = 0) {
  let time = 0;
  const read: number[] = [];
  const families = createProcessFamilies({
    readAll: all,
    shareOf: (pid) => {
      time += readMs;
      read.push(pid);
      return shareOf(pid);
    },
    now: () => time,
  });
  return { families, read };
}

describe('families of processes', () => {
  it('count each process for the command it descends from, even if its parent has ended', () => {
    let all = [seen(10, 1), seen(11, 10), seen(12, 11), seen(20, 1), seen(99, 1)];
    const { families } = open(() => all);
    families.add(10, { ...none, processes: 2 });
    families.add(20, { ...none, processes: 2 });
    expect(families.look()).toEqual([{ pid: 10, breach: 'processes' }]);
    all = [seen(10, 1), seen(12, 1), seen(13, 12), seen(20, 1)];
    expect(families.look()).toEqual([{ pid: 10, breach: 'processes' }]);
    families.remove(10);
    expect(families.look()).toEqual([]);
  });

  it('ignore a process that reuses the id of another', () => {
    let all = [seen(10, 1), seen(11, 10), seen(12, 10)];
    const { families } = open(() => all);
    families.add(10, { ...none, processes: 2 });
    expect(families.look()).toHaveLength(1);
    all = [seen(10, 1), seen(11, 1, { start: '500' }), seen(12, 10)];
    expect(families.look()).toEqual([]);
  });

  it('count shared memory once, and read little of it in one check', () => {
    const all = [
      seen(10, 1),
      ...Array.from({ length: 50 }, (_none, at) => seen(11 + at, 10, { pages: 1000 })),
    ];
    const { families, read } = open(
      () => all,
      () => 80,
      20,
    );
    families.add(10, { ...none, memory: 5 });
    for (let look = 1; look <= 20; look += 1) {
      expect(families.look()).toEqual([]);
      expect(read.length).toBeLessThanOrEqual(look * 6);
    }
    // Each had its turn.
    expect(new Set(read).size).toBe(51);
  });

  it('measure the memory of a command while another one uses up the time for exact figures', () => {
    const sharers = Array.from({ length: 50 }, (_none, at) => seen(11 + at, 10, { pages: 1000 }));
    const all = [seen(10, 1), ...sharers, seen(500, 1, { pages: 5000 })];
    const { families } = open(
      () => all,
      (pid) => (pid === 500 ? 20_000 : 1),
      60,
    );
    families.add(10, { ...none, memory: 5 });
    families.add(500, { ...none, memory: 5 });
    expect([families.look(), families.look()].flat()).toEqual([{ pid: 500, breach: 'memory' }]);
  });
});
