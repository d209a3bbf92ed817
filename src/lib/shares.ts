/** Divides a number of places so that no owner can take all of them. */
export interface Shares {
  /** Returns a release function, or why there is no place. `undefined` is the operator, who may take all places. */
  take(owner: string | undefined, places?: number): (() => void) | 'full' | 'share';
}

/**
 * An owner may hold at most as many places as are still free: one owner gets half, two get a third each, and there is
 * always room for the next one. The last `reserve` places are for the operator.
 */
export function createShares(total: number, reserve: number): Shares {
  const held = new Map<string, number>();
  let taken = 0;
  const change = (owner: string | undefined, by: number): void => {
    taken += by;
    if (owner === undefined) return;
    const count = (held.get(owner) ?? 0) + by;
    if (count === 0) held.delete(owner);
    else held.set(owner, count);
  };
  return {
    take(owner, places = 1) {
      const free = total - taken - (owner === undefined ? 0 : reserve);
      if (free < places) return 'full';
      if (owner !== undefined && (held.get(owner) ?? 0) + places > free) return 'share';
      change(owner, places);
      let isHeld = true;
      return () => {
        if (isHeld) change(owner, -places);
        isHeld = false;
      };
    },
  };
}
