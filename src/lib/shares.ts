/** Divides a number of places so that no owner can take all of them. */
export interface Shares {
  /** Takes places, or returns why there are none. `undefined` is the operator, who may take all places. */
  enter(owner: string | undefined, places?: number): 'full' | 'share' | undefined;
  leave(owner: string | undefined, places?: number): void;
  /** Like `enter`, but returns a function that gives the places back once. */
  take(owner: string | undefined, places?: number): (() => void) | 'full' | 'share';
}

/**
 * An owner may hold at most as many places as are still free: one owner gets half, two get a third each, and there is
 * always room for the next one. The last `reserve` places are for the operator.
 */
export function createShares(total: number, reserve: number): Shares {
  const held = new Map<string, number>();
  let taken = 0;

  function change(owner: string | undefined, by: number): void {
    taken += by;
    if (owner === undefined) return;
    const count = (held.get(owner) ?? 0) + by;
    if (count === 0) held.delete(owner);
    else held.set(owner, count);
  }

  function enter(owner: string | undefined, places = 1): 'full' | 'share' | undefined {
    const free = total - taken - (owner === undefined ? 0 : reserve);
    if (free < places) return 'full';
    if (owner !== undefined && (held.get(owner) ?? 0) + places > free) return 'share';
    change(owner, places);
    return undefined;
  }

  return {
    enter,
    leave: (owner, places = 1) => change(owner, -places),
    take(owner, places = 1) {
      const refusal = enter(owner, places);
      if (refusal !== undefined) return refusal;
      let isHeld = true;
      return () => {
        if (isHeld) change(owner, -places);
        isHeld = false;
      };
    },
  };
}
