import { type Exchange, type LogLevel, logLevels } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import type { Log } from '../../ports/log.js';
import { cutText, maxWords } from './cut-text.js';
import { isRecord } from '../../lib/is-record.js';
import type { Clock } from './options.js';
import { createPace } from './pace.js';

/** Passes progress and log messages of a running call to the caller, at a limited rate. */
export interface CallFeed {
  /** If progress comes too fast, only the latest is passed on, with a delay. */
  progress(params: JsonText): void;
  /** Log messages that come too fast are dropped and counted. */
  log(level: LogLevel, params: JsonText): void;
  /** Ends the call: passes on the last progress, and reports how many log messages were dropped. */
  end(): void;
}

const burst = 50;
const perSecond = 20;

export function createCallFeed(exchange: Exchange, clock: Clock, log: Log): CallFeed {
  const progressPace = createPace(clock, burst, perSecond);
  const logPace = createPace(clock, burst, perSecond);
  let latest: JsonText | undefined;
  let stopTimer: (() => void) | undefined;
  let dropped = 0;
  let isOver = false;

  function flush(): void {
    stopTimer?.();
    stopTimer = undefined;
    const params = latest;
    latest = undefined;
    if (params !== undefined) exchange.progress(shortProgress(params));
  }

  function flushInTime(): void {
    stopTimer = undefined;
    progressPace.pass();
    flush();
  }

  function tellDropped(): void {
    if (dropped === 0) return;
    log('warn', 'some log messages of the server were dropped because they came too fast', { dropped });
    const wanted = exchange.logLevel;
    if (wanted === undefined || logLevels.indexOf('warning') < logLevels.indexOf(wanted)) return;
    const data = `Tidegate dropped ${String(dropped)} log messages of this call because they came too fast.`;
    exchange.log('warning', JsonText.from({ level: 'warning', logger: 'tidegate', data }));
  }

  return {
    progress(params) {
      if (isOver) return;
      latest = params;
      if (stopTimer !== undefined) return;
      if (progressPace.pass()) flush();
      else stopTimer = clock.after(progressPace.waitMs(), flushInTime, true);
    },
    log(level, params) {
      if (isOver) return;
      if (logPace.pass()) exchange.log(level, shortLog(params));
      else dropped += 1;
    },
    end() {
      if (isOver) return;
      isOver = true;
      flush();
      tellDropped();
    },
  };
}

function shortProgress(params: JsonText): JsonText {
  if (params.text.length <= maxWords) return params;
  const { progressToken, progress, total, message } = isRecord(params.value) ? params.value : {};
  const said = typeof message === 'string' ? { message: cutText(message) } : {};
  return JsonText.from({ progressToken, progress, total, ...said });
}

function shortLog(params: JsonText): JsonText {
  if (params.text.length <= maxWords) return params;
  const { level, logger, data } = isRecord(params.value) ? params.value : {};
  const name = typeof logger === 'string' ? { logger: cutText(logger, 200) } : {};
  return JsonText.from({
    level,
    ...name,
    data: cutText(typeof data === 'string' ? data : JSON.stringify(data)),
  });
}
