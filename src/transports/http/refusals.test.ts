import { describe, expect, it } from 'vitest';
import { createRefusals } from './refusals.js';

describe('createRefusals', () => {
  it('warns at once, then at intervals, and counts every refusal', () => {
    const warned: unknown[] = [];
    let now = 0;
    const refusals = createRefusals(
      'again',
      (message, fields) => warned.push({ message, ...fields }),
      () => now,
    );
    refusals.tend();
    refusals.refused('token_unknown', { address: '127.0.0.1' });
    expect(warned).toEqual([
      { message: 'again', count: 1, reasons: { token_unknown: 1 }, address: '127.0.0.1' },
    ]);
    for (let i = 0; i < 1000; i += 1) refusals.refused('token_unknown', { address: '10.0.0.7' });
    refusals.refused('token_expired', { address: '10.0.0.7' });
    refusals.tend();
    expect(warned).toHaveLength(1);
    now = 10_000;
    refusals.tend();
    refusals.tend();
    expect(warned.slice(1)).toEqual([
      {
        message: 'again',
        count: 1001,
        reasons: { token_unknown: 1000, token_expired: 1 },
        address: '10.0.0.7',
      },
    ]);
    now = 30_000;
    refusals.refused('token_unknown', { address: '::1' });
    expect(warned.slice(2)).toEqual([
      { message: 'again', count: 1, reasons: { token_unknown: 1 }, address: '::1' },
    ]);
  });

  it('[15.50] reports the remaining refusals at close', () => {
    const warned: unknown[] = [];
    const refusals = createRefusals(
      'again',
      (_, fields) => warned.push(fields['count']),
      () => 5,
    );
    for (let i = 0; i < 3; i += 1) refusals.refused('token_unknown');
    refusals.flush();
    refusals.flush();
    expect(warned).toEqual([1, 2]);
  });
});
