import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** Asks at the terminal. Leaving without an answer gives an empty answer. */
export function ask(
  question: string,
  input: Readable,
  output: Writable,
  interrupt: () => void,
  isHidden = false,
): Promise<string> {
  const lines = createInterface({
    input,
    output: isHidden ? questionOnly(question, output) : output,
    terminal: true,
  });
  // On a terminal, readline handles Ctrl+C instead of the process.
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

/** Shows the question but not what is typed. */
function questionOnly(question: string, output: Writable): Writable {
  let isAsked = false;
  return new Writable({
    write(chunk: Buffer, _, done) {
      const text = chunk.toString('utf8');
      if (!isAsked && text.includes(question)) {
        isAsked = true;
        output.write(question);
      } else if (text === '\r\n' || text === '\n') output.write('\n');
      done();
    },
  });
}
