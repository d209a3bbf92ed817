import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Asks the person at a terminal. Whoever leaves without an answer has answered nothing. */
export function ask(
  question: string,
  input: Readable,
  output: Writable,
  interrupt: () => void,
): Promise<string> {
  const lines = createInterface({ input, output, terminal: true });
  // On a terminal the interface takes Ctrl+C for itself.
  lines.once('SIGINT', () => {
    output.write('\n');
    interrupt();
    lines.close();
  });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
