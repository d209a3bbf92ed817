import { setMaxListeners } from 'node:events';

/** Many branches and calls listen to one signal; that is no leak, and nobody need be warned of it. */
export function crowded(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}
