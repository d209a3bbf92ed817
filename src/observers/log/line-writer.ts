import { printableJson } from '../../lib/printable.js';
import type { BufferedFile } from './buffered-file.js';

/** Formats levels, messages and fields as lines of JSON. */
export interface LineWriter {
  put(level: string, message: string, fields: object): void;
  /** Writes a line whose members, including `msg`, are printable JSON text. */
  putMembers(level: string, members: string): void;
  close(): Promise<void>;
}

/** The writer owns the file. It writes all lines at every kind of exit that the process can observe. */
export function openLineWriter(openFile: (lost: (count: number) => string) => BufferedFile): LineWriter {
  const now = createClock();
  const head = (level: string): string =>
    `{"level":"${level}","time":"${now()}","gate":${String(process.pid)}`;
  const lineOf = (level: string, message: string, fields: object): string => {
    const members = printableJson(JSON.stringify({ ...fields, msg: message }));
    return `${head(level)},${members.slice(1)}\n`;
  };
  const file = openFile((count) => lineOf('warn', 'log.dropped', { count }));
  const atExit = (): void => file.flushSync();
  process.on('exit', atExit);
  return {
    put: (level, message, fields) => file.write(lineOf(level, message, fields)),
    putMembers: (level, members) => file.write(`${head(level)},${members}}\n`),
    async close() {
      await file.close();
      process.off('exit', atExit);
    },
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
