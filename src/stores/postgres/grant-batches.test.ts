import { describe, expect, it } from 'vitest';
import { type GrantWrite, StoreError } from '../../access/ports/index.js';
import { createGrantBatches, type WriteAll } from './grant-batches.js';

const record = { at: 1, zone: 'z', action: 'grant.write', decision: 'allow', principal: 'user:ana' } as const;

function write(name: string, more: Partial<GrantWrite> = {}): GrantWrite {
  return { zone: 'z', add: [{ user: 'u:a', relation: 'caller', object: `tool:${name}` }], record, ...more };
}

const nameOf = ({ add = [] }: GrantWrite): string => add[0]?.object.slice('tool:'.length) ?? '';

/** A fake server that counts revisions, refuses some writes and fails on others. */
function openServer() {
  const sent: string[] = [];
  let revision = 0;
  const writeAll: WriteAll = async (changes) => {
    const names = changes.map(nameOf);
    sent.push(names.length > 5 ? `${String(names.length)} writes` : names.join(' '));
    await new Promise((resolve) => setImmediate(resolve));
    if (names.includes('bad'))
      throw new StoreError('store.unavailable', 'bad', {
        cause: Object.assign(new Error('bad'), { code: '22P05' }),
      });
    if (names.includes('gone')) throw new StoreError('store.unavailable', 'gone');
    return changes.map((change) =>
      nameOf(change) === 'late'
        ? { ok: false, error: new StoreError('store.conflict', 'late') }
        : { ok: true, written: { revision: (revision += 1), added: change.add ?? [], removed: [] } },
    );
  };
  return { sent, batches: createGrantBatches(writeAll) };
}

async function results(
  writes: readonly Promise<{ readonly revision: number }>[],
): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(writes);
  return settled.map((one) => (one.status === 'fulfilled' ? one.value.revision : String(one.reason)));
}

describe('writes to one zone', () => {
  it('are sent together when they arrive together, each with its own revision', async () => {
    const { sent, batches } = openServer();
    const first = ['a', 'b'].map((name) => batches.write(write(name)));
    await new Promise((resolve) => setTimeout(resolve, 0));
    const more = ['c', 'd'].map((name) => batches.write(write(name)));
    expect(await results([...first, ...more])).toEqual([1, 2, 3, 4]);
    expect(sent.join(' ')).toBe('a b c d');
    expect(sent[0]).toBe('a b');
  });

  it('only roll back the ones that are refused', async () => {
    const { batches } = openServer();
    const all = ['a', 'late', 'b'].map((name) => batches.write(write(name)));
    expect(await results(all)).toEqual([1, 'StoreError: late', 2]);
  });

  it('are retried one by one when the server rejects the batch', async () => {
    const { sent, batches } = openServer();
    const all = ['a', 'bad', 'b'].map((name) => batches.write(write(name)));
    expect(await results(all)).toEqual([1, 'StoreError: bad', 2]);
    expect(sent).toEqual(['a bad b', 'a', 'bad', 'b']);
  });

  it('are not retried when their result is unknown', async () => {
    const { sent, batches } = openServer();
    const all = ['a', 'gone', 'b'].map((name) => batches.write(write(name)));
    expect(await results(all)).toEqual(Array.from({ length: 3 }, () => 'StoreError: gone'));
    expect(sent).toHaveLength(1);
  });

  it('are split into batches, and a large write is sent alone', async () => {
    const { sent, batches } = openServer();
    const many = Array.from({ length: 600 }, (_, at) => ({
      user: 'u:a',
      relation: 'caller',
      object: `tool:${String(at)}`,
    }));
    const small = Array.from({ length: 65 }, (_, at) => batches.write(write(`s${String(at)}`)));
    const large = batches.write(write('large', { add: many }));
    expect((await results([...small, large])).at(-1)).toBe(66);
    expect(sent).toEqual(['64 writes', 's64', '0']);
  });

  it('do not wait for writes to another zone, and finish before close', async () => {
    const { sent, batches } = openServer();
    const all = [batches.write(write('a')), batches.write(write('b', { zone: 'other' }))];
    await batches.settled();
    expect(sent).toEqual(['a', 'b']);
    expect(await results(all)).toEqual([1, 2]);
  });
});
