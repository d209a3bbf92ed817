import type { Log } from '../../ports/log.js';
import type { Clock } from './options.js';
import { createPace } from './pace.js';

const perWindow = 5;
const windowMs = 10_000;

/** Limits the rate of warnings and counts the rest, so that a flooding server cannot fill the disk. */
export function createRateLimitedLog(log: Log, clock: Clock): (message: string, reason: string) => void {
  let windowStart = 0;
  let written = 0;
  let suppressed = 0;
  return (message, reason) => {
    const now = clock.now();
    if (now - windowStart >= windowMs) {
      if (suppressed > 0) log('warn', 'similar messages were not logged', { count: suppressed });
      windowStart = now;
      written = 0;
      suppressed = 0;
    }
    if (written >= perWindow) suppressed += 1;
    else log('warn', message, { reason });
    written += 1;
  };
}

const linesAtOnce = 200;
const linesPerSecond = 50;

/** Writes server output to the debug log at a limited rate, and reports how many lines were left out. */
export function createPacedLog(log: Log, clock: Clock, message: string): (fields: object) => void {
  const pace = createPace(clock, linesAtOnce, linesPerSecond);
  const warn = createRateLimitedLog(log, clock);
  let dropped = 0;
  return (fields) => {
    if (pace.pass()) {
      log('debug', message, { ...fields, ...(dropped > 0 && { droppedBefore: dropped }) });
      dropped = 0;
      return;
    }
    if (dropped === 0) warn(`${message}: some lines were not logged`, 'they came too fast');
    dropped += 1;
  };
}
