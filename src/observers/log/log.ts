import { closeSync } from 'node:fs';
import type { Attempt, Observer } from '../../core/index.js';
import { attemptLevel, createAttemptMembers } from './attempt-line.js';
import { openBufferedFile } from './buffered-file.js';
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

/** The writer, or undefined if lines of this level are not written. */
type WriterFor = (level: Severity) => LineWriter | undefined;

/** Throws `LogFileError` if the log file cannot be opened or is unsafe. */
export function openLog(options: LogOptions): Log {
  if (options.level === 'silent') return silentLog;
  const threshold = logLevels.indexOf(options.level);
  const fd = options.file === undefined ? undefined : openLogFile(options.file, options.shared);
  let writer: LineWriter | undefined;
  let isClosed = false;

  const writerFor: WriterFor = (level) => {
    if (isClosed || logLevels.indexOf(level) > threshold) return undefined;
    // Open the stream at the first line, to save time at startup.
    writer ??= openLineWriter((lost) => openBufferedFile(fd ?? process.stderr.fd, lost));
    return writer;
  };

  return {
    write(level, message, fields = {}) {
      writerFor(level)?.put(level, redactText(message), withoutOurs(redactFields(fields)));
    },
    lines: (level, message, fields) => lineSink(writerFor, level, message, withoutOurs(redactFields(fields))),
    observer: createObserver(writerFor),
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

function lineSink(
  writerFor: WriterFor,
  level: Severity,
  message: string,
  fields: object,
): (line: string) => void {
  const redactLine = createLineRedactor();
  return (text) => {
    const line = redactLine(text);
    writerFor(level)?.put(level, message, { ...fields, line });
  };
}

function createObserver(writerFor: WriterFor): Observer {
  const membersOf = createAttemptMembers();
  const end = (attempt: Attempt): void => {
    const level = attemptLevel(attempt);
    writerFor(level)?.putMembers(level, membersOf(attempt));
  };
  return { name: 'log', begin: () => end };
}

const silentLog: Log = Object.freeze({
  write: () => undefined,
  lines: () => () => undefined,
  observer: Object.freeze({ name: 'log', begin: () => () => undefined }),
  close: () => Promise.resolve(),
});
