import { closeSync } from 'node:fs';
import type { Observer } from '../../core/index.js';
import { attemptFields, attemptLevel, attemptMessage } from './attempt-line.js';
import { openBufferedFile } from './buffered-file.js';
import { withKnownClean } from './known-clean.js';
import { type LineWriter, openLineWriter } from './line-writer.js';
import { openLogFile } from './log-file.js';
import { createLineRedactor, redactFields, redactText } from './redact.js';

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogThreshold = (typeof logLevels)[number];
export type Severity = Exclude<LogThreshold, 'silent'>;

export interface LogOptions {
  /** The least severe level to write; `silent` writes and loads nothing. */
  readonly level: LogThreshold;
  /** Write to this file instead of the stream. Created with mode 0600 if it does not exist. */
  readonly file?: string;
  /** Folders that agents write to: links inside them are not followed on the way to the file. */
  readonly shared?: readonly string[];
  /** Standard output belongs to the protocol, so there is no other choice. */
  readonly stream: 'stderr';
}

/** Structured lines without secrets. Never throws or blocks once the log is open. */
export interface Log {
  write(level: Severity, message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Write the lines of another stream, such as the stderr of a server. */
  lines(level: Severity, message: string, fields: Readonly<Record<string, unknown>>): (line: string) => void;
  /** Writes one line per attempt. */
  readonly observer: Observer;
  close(): Promise<void>;
}

type Put = (level: Severity, message: string, fields: () => object) => void;

/** Throws `LogFileError` if the log file cannot be opened or is unsafe. */
export function openLog(options: LogOptions): Log {
  if (options.level === 'silent') return silentLog;
  const threshold = logLevels.indexOf(options.level);
  const fd = options.file === undefined ? undefined : openLogFile(options.file, options.shared);
  let writer: LineWriter | undefined;
  let isClosed = false;

  const put: Put = (level, message, fields) => {
    if (isClosed || logLevels.indexOf(level) > threshold) return;
    // Open the stream at the first line, to save time at startup.
    writer ??= openLineWriter((lost) => openBufferedFile(fd ?? process.stderr.fd, lost));
    writer.put(level, message, fields);
  };

  return {
    write(level, message, fields = {}) {
      put(level, redactText(message), () => withoutOurs(redactFields(fields)));
    },
    lines: (level, message, fields) => lineSink(put, level, message, withoutOurs(redactFields(fields))),
    observer: createObserver(put),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await writer?.close();
      if (fd !== undefined) closeSync(fd);
    },
  };
}

/** Reserved: a field of the same name would be a duplicate key. */
const ours = ['level', 'time', 'gate', 'msg'];

function withoutOurs(fields: object): object {
  if (!ours.some((name) => name in fields)) return fields;
  return Object.fromEntries(
    Object.entries<unknown>({ ...fields }).map(([name, value]) => [
      ours.includes(name) ? `${name}_` : name,
      value,
    ]),
  );
}

function lineSink(put: Put, level: Severity, message: string, fields: object): (line: string) => void {
  const redactLine = createLineRedactor();
  return (text) => {
    const line = redactLine(text);
    put(level, message, () => ({ ...fields, line }));
  };
}

function createObserver(put: Put): Observer {
  const redact = withKnownClean(redactText);
  return {
    name: 'log',
    begin: () => (attempt) => {
      put(attemptLevel(attempt), attemptMessage(attempt), () => attemptFields(attempt, redact));
    },
  };
}

const silentLog: Log = Object.freeze({
  write: () => undefined,
  lines: () => () => undefined,
  observer: Object.freeze({ name: 'log', begin: () => () => undefined }),
  close: () => Promise.resolve(),
});
