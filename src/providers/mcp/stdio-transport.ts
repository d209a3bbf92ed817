import { createLastWords } from '../../lib/last-words.js';
import { createLineReader, type Line } from '../../lib/lines.js';
import type { Log, Redactor } from '../../ports/log.js';
import { notificationText, readFrame } from '../../lib/json-rpc.js';
import { onOneLine } from '../../lib/json-text.js';
import type { Processes, ProcessOrder } from '../../ports/processes.js';
import { type Transport, type TransportEvents, maxMessageBytes } from './transport.js';
import type { Clock } from './options.js';
import { createPacedLog, createRateLimitedLog } from './rate-limited-log.js';

export interface StdioTransportParts {
  readonly processes: Processes;
  readonly order: ProcessOrder;
  readonly events: TransportEvents;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
}

interface Queued {
  readonly text: string;
  readonly id: number | undefined;
}

const maxErrorLine = 8 * 1024;

/** Starts the server and exchanges messages as lines. */
export async function openStdioTransport(parts: StdioTransportParts): Promise<Transport> {
  const { events } = parts;
  const child = await parts.processes.start(parts.order);
  const reader = createLineReader(maxMessageBytes);
  const complain = createRateLimitedLog(parts.log, parts.clock);
  const errors = collectErrorOutput(parts);
  let queue: Queued[] = [];
  let queuedLength = 0;
  let isFlushing = false;
  let isFull = false;
  let isOpen = true;

  function receive(lines: readonly Line[]): void {
    for (const line of lines) {
      if (!isOpen) return;
      if (line.kind === 'unreadable') complain('an unreadable line from the server was ignored', line.reason);
      else receiveLine(line.text);
    }
  }

  function receiveLine(text: string): void {
    const frame = readFrame(text);
    if (frame.kind === 'bad') complain('a line from the server is not a protocol message', frame.reason);
    events.frame(frame, undefined);
  }

  /** Writes everything queued in one tick at once. */
  function flush(): void {
    isFlushing = false;
    if (isFull || !isOpen || queue.length === 0) return;
    let bytes = '';
    for (const { text } of queue) bytes += `${text}\n`;
    queue = [];
    queuedLength = 0;
    isFull = !child.write(bytes);
  }

  function schedule(): void {
    if (isFlushing || isFull) return;
    isFlushing = true;
    process.nextTick(flush);
  }

  /** Removes a request from the queue if it was not sent yet. */
  function withdraw(id: number): boolean {
    const at = queue.findIndex((waiting) => waiting.id === id);
    if (at < 0) return false;
    queuedLength -= queue[at]?.text.length ?? 0;
    queue.splice(at, 1);
    return true;
  }

  child.onOutput((chunk) => receive(reader.push(chunk)));
  child.onErrorOutput((chunk) => errors.push(chunk));
  child.onDrain(() => {
    isFull = false;
    flush();
  });
  child.onExit(({ code, signal }) => {
    receive(reader.end());
    if (!isOpen) return;
    isOpen = false;
    // The direct child has exited; also end the processes it left behind.
    void child.close();
    const how = signal === null ? `exited with code ${String(code)}` : `was ended by ${signal}`;
    const said = errors.last();
    events.closed(said === '' ? how : `${how}: ${said}`);
  });

  return {
    pid: child.pid,
    send(text, id) {
      if (!isOpen || queuedLength + text.length > maxMessageBytes) return false;
      queue.push({ text: onOneLine(text), id });
      queuedLength += text.length;
      schedule();
      return true;
    },
    cancel(id, reason) {
      // A request that was not sent needs no cancellation.
      if (withdraw(id)) return;
      const params = JSON.stringify({ requestId: id, reason });
      queue.unshift({ text: notificationText('notifications/cancelled', params), id: undefined });
      schedule();
    },
    abandon: (id) => void withdraw(id),
    agree() {},
    forget() {},
    async close() {
      isOpen = false;
      queue = [];
      await child.close();
    },
  };
}

interface ErrorOutput {
  push(chunk: Uint8Array): void;
  last(): string;
}

/** Logs the child's stderr at debug level, and collects the lines that explain an exit. */
function collectErrorOutput({ log, clock, redact }: StdioTransportParts): ErrorOutput {
  const tell = createPacedLog(log, clock, 'server stderr');
  const reader = createLineReader(maxErrorLine);
  const words = createLastWords();
  return {
    push(chunk) {
      for (const line of reader.push(chunk)) {
        if (line.kind !== 'line') continue;
        // Redact before cutting, because half a secret would not be recognized.
        const text = redact(line.text);
        words.push(text);
        tell({ line: text });
      }
    },
    last: () => words.told(),
  };
}
