import { printableJson } from '../../lib/printable.js';
import type { BufferedFile } from './buffered-file.js';

/** Formats levels, messages and fields as lines. Loads pino at the first line. */
export interface LineWriter {
  /** Calls `fields` later, so that a response does not wait for its log line. */
  put(level: string, message: string, fields: () => object): void;
  close(): Promise<void>;
}

/** `time` is the time of the event, not of the write. */
type Format = (level: string, message: string, fields: object, time: string) => void;
interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: () => object;
  readonly time: string;
}

/** Limit of lines that wait for pino, which takes a few milliseconds to load. */
const maxWaiting = 1000;

/** The writer owns the file. It writes all lines at every kind of exit that the process can observe. */
export function openLineWriter(openFile: (lost: (count: number) => string) => BufferedFile): LineWriter {
  const clock = createClock();
  const file = openFile((count) => plainLine('warn', 'log.dropped', { count }, clock()));
  const plain: Format = (...line) => file.write(printableJson(plainLine(...line)));
  let waiting: Line[] = [];
  let format: Format | undefined;
  let isDue = false;
  const loaded = loadPino(file).then(start, () => start(plain));

  function start(found: Format): void {
    format ??= found;
    work();
  }

  function work(): void {
    isDue = false;
    if (format === undefined) return;
    const lines = waiting;
    waiting = [];
    for (const { level, message, fields, time } of lines) format(level, message, fields(), time);
  }

  function atExit(): void {
    start(plain);
    file.flushSync();
  }
  process.on('exit', atExit);

  return {
    put(level, message, fields) {
      if (waiting.length >= maxWaiting) work();
      if (waiting.length >= maxWaiting) return;
      waiting.push({ level, message, fields, time: clock() });
      if (isDue) return;
      isDue = true;
      setImmediate(work);
    },
    async close() {
      await loaded;
      work();
      await file.close();
      process.off('exit', atExit);
    },
  };
}

async function loadPino(file: BufferedFile): Promise<Format> {
  const { pino } = await import('pino');
  let at = '';
  const logger = pino(
    {
      level: 'debug',
      base: { gate: process.pid },
      timestamp: () => `,"time":"${at}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Not pino.destination: its flush at exit hangs when the reader is gone or the disk is full.
    { write: (text: string) => file.write(printableJson(text)) },
  );
  return (level, message, fields, time) => {
    at = time;
    if (level === 'error' || level === 'warn' || level === 'debug') logger[level](fields, message);
    else logger.info(fields, message);
  };
}

/** Cached, because many lines share a millisecond and formatting the time is slow. */
function createClock(): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) text = new Date(now).toISOString();
    last = now;
    return text;
  };
}

function plainLine(level: string, message: string, fields: object, time: string): string {
  return `${JSON.stringify({ level, time, gate: process.pid, ...fields, msg: message })}\n`;
}
