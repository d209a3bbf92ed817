import { setMaxListeners } from 'node:events';

/** Many branches and calls listen to one signal. That is not a leak, so the listener warning is turned off. */
export function crowded(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}
