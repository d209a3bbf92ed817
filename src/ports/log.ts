/** Writes one line to the gateway's log. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** Removes secrets from a stream, line by line. */
export type Redactor = (line: string) => string;
