import { fstatSync, readFileSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** How long to wait for messages in transit after the client closed its end. */
const lastWordsMs = 80;
const parentMs = 1000;

/**
 * Carries bytes between the agent that started this process and the gateway at the address in the file. Exits
 * when either side ends; without signal handlers, a signal ends it at once.
 */
export function runShim(file: string): void {
  const { address, ticket } = readSocketFile(file);
  const gate = connect(address);
  const end = (code: number): void => process.exit(code);
  gate.once('error', (error) => fail(`this run is over (${error.message})`));
  gate.write(`${ticket}\n`);
  gate.once('data', (chunk) => {
    const line = chunk.indexOf(0x0a);
    if (chunk.toString('latin1', 0, line) !== 'welcome')
      fail('the ticket is already used, or belongs to another run');
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
    // Reported below.
  }
  return fail(`${file} is missing or was not written by a Tidegate run`);
}

function fail(why: string): never {
  process.stderr.write(
    `tidegate mcp-serve: ${why}.\nThis command is for agents that Tidegate starts. Do not run it yourself.\n`,
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

/** After an agent was killed, another process may still hold the other end of our input. */
function watchParent(end: (code: number) => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end(0);
  }, parentMs).unref();
}
