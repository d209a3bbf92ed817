import { connect } from 'node:net';

export interface RawAnswer {
  /** Of each answer on the connection, in order; empty when it was closed without a word. */
  readonly statuses: readonly number[];
  readonly text: string;
}

/** Sends bytes as they are on a connection of their own and reads until it is closed or falls silent. */
export function sendBytes(port: number, bytes: string | Uint8Array, silenceMs = 1000): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = (): void => {
      socket.destroy();
      const heads = text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm);
      resolve({ statuses: [...heads].map(([, status]) => Number(status)), text });
    };
    socket.setEncoding('latin1');
    socket.setTimeout(silenceMs, done);
    socket.on('data', (part: string) => (text += part));
    // A reset after the answer is as good as an end.
    socket.on('error', done);
    socket.on('close', done);
    socket.on('connect', () => socket.write(bytes));
  });
}

/** A request written out, its headers exactly as given. */
export function writeRequest(
  line: string,
  headers: readonly (readonly [name: string, value: string])[],
  body = '',
): string {
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${line} HTTP/1.1\r\n${head}\r\n${body}`;
}
