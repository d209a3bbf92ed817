import { describe, expect, it } from 'vitest';
import { createShares } from './shares.js';

function takeAll(shares: ReturnType<typeof createShares>, owner: string | undefined): (() => void)[] {
  const taken: (() => void)[] = [];
  for (;;) {
    const place = shares.take(owner);
    if (typeof place === 'string') return taken;
    taken.push(place);
  }
}

describe('shares', () => {
  it('leave half of the slots to others, and a third if two owners use all they can', () => {
    const shares = createShares(64, 4);
    expect(takeAll(shares, 'alice')).toHaveLength(30);
    expect(shares.take('alice')).toBe('share');
    expect(takeAll(shares, 'bob')).toHaveLength(15);
    expect(takeAll(shares, 'carol').length).toBeGreaterThan(0);
  });

  it('keep the reserve for the operator, who may take every slot', () => {
    const shares = createShares(8, 2);
    for (let owner = 0; owner < 20; owner += 1) takeAll(shares, String(owner));
    expect(shares.take('newcomer')).toBe('full');
    expect(takeAll(shares, undefined)).toHaveLength(2);
    expect(takeAll(createShares(8, 2), undefined)).toHaveLength(8);
  });

  it('accept a slot back only once', () => {
    const shares = createShares(4, 0);
    const [first] = takeAll(shares, 'alice');
    first?.();
    first?.();
    expect(takeAll(shares, 'alice')).toHaveLength(1);
  });
});
