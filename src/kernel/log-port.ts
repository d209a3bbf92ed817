/** Writes one line of the gate's own log. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** Takes the secrets out of a stream, line by line. */
export type Redactor = (line: string) => string;
