import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createConnectionSlots } from './connection-slots.js';

const sockets = (count: number): readonly Socket[] => Array.from({ length: count }, () => new Socket());
const closed = (all: readonly Socket[]): readonly number[] =>
  all.flatMap((socket, index) => (socket.destroyed ? [index] : []));

describe('[15.11] connection slots', () => {
  it('close the oldest connection without a token for a new one', () => {
    const all = sockets(5);
    const slots = createConnectionSlots({ unproven: 3, proven: 3, reserve: 0 });
    for (const socket of all) slots.add(socket);
    expect(closed(all)).toEqual([0, 1]);
  });

  it('never close a connection with a token for another', () => {
    const all = sockets(6);
    const slots = createConnectionSlots({ unproven: 2, proven: 3, reserve: 0 });
    for (const [index, socket] of all.entries()) {
      slots.add(socket);
      if (index < 3) slots.prove(socket, undefined);
    }
    expect(closed(all)).toEqual([3]);
  });

  it('leave room for health checks when callers with a token use all their slots', () => {
    const all = sockets(4);
    const slots = createConnectionSlots({ unproven: 1, proven: 2, reserve: 0 });
    for (const socket of all) {
      slots.add(socket);
      slots.prove(socket, undefined);
    }
    expect(closed(all)).toEqual([2]);
  });

  it('leave room for others when one owner uses all its slots', () => {
    const all = sockets(12);
    const slots = createConnectionSlots({ unproven: 1, proven: 8, reserve: 2 });
    for (const [index, socket] of all.entries()) {
      slots.add(socket);
      slots.prove(socket, index < 10 ? 'alice' : 'bob');
    }
    // Three of the first have a token; each of the others made room for the next one.
    expect(closed(all)).toEqual([3, 4, 5, 6, 7, 8, 9]);
  });
});
