import type { Soon } from '../ports.js';

/** Goes on at once where the answer is there at once: no tick is lost on a store that needs none. */
export function afterwards<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
