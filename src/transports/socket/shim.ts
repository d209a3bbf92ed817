import { fstatSync, readFileSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** After its client closed its end, what is on its way may still arrive. */
const lastWordsMs = 80;
const parentMs = 1000;

/**
 * Carries bytes between the agent that started this process and the gate behind the address in the file. It ends when
 * either does, and nothing handles signals: they end it at once.
 */
export function runShim(file: string): void {
  const { address, ticket } = readSocketFile(file);
  const gate = connect(address);
  const end = (code: number): void => process.exit(code);
  gate.once('error', (error) => fail(`the run that this belongs to is over (${error.message})`));
  gate.write(`${ticket}\n`);
  gate.once('data', (chunk) => {
    const line = chunk.indexOf(0x0a);
    if (chunk.toString('latin1', 0, line) !== 'welcome')
      fail('its ticket was used already, or is not for this run');
    gate.removeAllListeners('error').on('error', () => end(1));
    carry(gate, chunk.subarray(line + 1), end);
  });
  gate.once('close', () => end(0));
  watchParent(end);
}

function carry(gate: Socket, first: Buffer, end: (code: number) => void): void {
  const [input, output] = [openInput(), openOutput()];
  if (first.length > 0) output.write(first);
  input.on('error', () => end(0));
  output.on('error', () => end(0));
  input.once('end', () => setTimeout(end, lastWordsMs, 0));
  input.pipe(gate);
  gate.pipe(output);
}

function readSocketFile(file: string): { readonly address: string; readonly ticket: string } {
  try {
    const { address, ticket } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof address === 'string' && typeof ticket === 'string') return { address, ticket };
  } catch {
    // Said below, in the same words.
  }
  return fail(`${file} is gone, or is not what a run of Tidegate wrote`);
}

function fail(why: string): never {
  process.stderr.write(
    `tidegate mcp-serve: ${why}.\nIt is started by agents that Tidegate runs, not by people.\n`,
  );
  process.exit(1);
}

function isPipe(fd: number): boolean {
  const kind = fstatSync(fd);
  return process.platform !== 'win32' && (kind.isFIFO() || kind.isSocket());
}

function openInput(): Readable {
  return isPipe(0) ? new Socket({ fd: 0, readable: true, writable: false }) : process.stdin;
}

function openOutput(): Writable {
  return isPipe(1) ? new Socket({ fd: 1, readable: false, writable: true }) : process.stdout;
}

/** An agent that was killed may leave the other end of our input to somebody else. */
function watchParent(end: (code: number) => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end(0);
  }, parentMs).unref();
}
