import { type Exchange, type LogLevel, logLevels } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import type { Log } from '../../ports/log.js';
import { cutText, maxWords } from './cut-text.js';
import { isRecord } from '../../lib/is-record.js';
import type { Clock } from './options.js';
import { createPace, type Pace } from './pace.js';

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
  return new Feed(exchange, clock, log);
}

/** A class with late members, because most calls report nothing. */
class Feed implements CallFeed {
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  readonly #log: Log;
  #progressPace: Pace | undefined;
  #logPace: Pace | undefined;
  #latest: JsonText | undefined;
  #stopTimer: (() => void) | undefined;
  #dropped = 0;
  #isOver = false;

  constructor(exchange: Exchange, clock: Clock, log: Log) {
    this.#exchange = exchange;
    this.#clock = clock;
    this.#log = log;
  }

  progress(params: JsonText): void {
    if (this.#isOver) return;
    this.#latest = params;
    if (this.#stopTimer !== undefined) return;
    const pace = (this.#progressPace ??= createPace(this.#clock, burst, perSecond));
    if (pace.pass()) return this.#flush();
    const flushLate = (): void => {
      this.#stopTimer = undefined;
      pace.pass();
      this.#flush();
    };
    this.#stopTimer = this.#clock.after(pace.waitMs(), flushLate, true);
  }

  log(level: LogLevel, params: JsonText): void {
    if (this.#isOver) return;
    this.#logPace ??= createPace(this.#clock, burst, perSecond);
    if (this.#logPace.pass()) this.#exchange.log(level, shortLog(params));
    else this.#dropped += 1;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#latest !== undefined) this.#flush();
    if (this.#dropped > 0) this.#tellDropped();
  }

  #flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const params = this.#latest;
    this.#latest = undefined;
    if (params !== undefined) this.#exchange.progress(shortProgress(params));
  }

  #tellDropped(): void {
    const dropped = this.#dropped;
    this.#log('warn', 'some log messages of the server were dropped because they came too fast', { dropped });
    const wanted = this.#exchange.logLevel;
    if (wanted === undefined || logLevels.indexOf('warning') < logLevels.indexOf(wanted)) return;
    const data = `Tidegate dropped ${String(dropped)} log messages of this call because they came too fast.`;
    this.#exchange.log('warning', JsonText.from({ level: 'warning', logger: 'tidegate', data }));
  }
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
