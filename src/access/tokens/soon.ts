import type { Soon } from '../ports/index.js';

/** Continues synchronously if the value is not a promise, so that a synchronous store costs no tick. */
export function whenReady<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
