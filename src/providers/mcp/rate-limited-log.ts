import type { Log } from '../../kernel/index.js';
import type { Clock } from './options.js';

const perWindow = 5;
const windowMs = 10_000;

/** Warns a few times in a while and counts the rest, so that a flooding server cannot fill the disk. */
export function createRateLimitedLog(log: Log, clock: Clock): (message: string, reason: string) => void {
  let windowStart = 0;
  let written = 0;
  let suppressed = 0;
  return (message, reason) => {
    const now = clock.now();
    if (now - windowStart >= windowMs) {
      if (suppressed > 0) log('warn', 'more of the same was not logged', { count: suppressed });
      windowStart = now;
      written = 0;
      suppressed = 0;
    }
    if (written >= perWindow) suppressed += 1;
    else log('warn', message, { reason });
    written += 1;
  };
}
