import { createLastWords } from '../../lib/last-words.js';
import { createLineReader, type Line } from '../../lib/lines.js';
import type { Log, Redactor } from '../../ports/log.js';
import { notificationText, readFrame } from '../../lib/json-rpc.js';
import { onOneLine } from '../../lib/json-text.js';
import type { Processes, ProcessOrder } from '../../ports/processes.js';
import { type Transport, type TransportEvents, maxMessageBytes } from './transport.js';
import type { Clock } from './options.js';
import { createPacedLog, createRateLimitedLog } from './rate-limited-log.js';
import { createWriteQueue } from './write-queue.js';

export interface StdioTransportParts {
  readonly processes: Processes;
  readonly order: ProcessOrder;
  readonly events: TransportEvents;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
}

const maxErrorLine = 8 * 1024;

/** Starts the server and exchanges messages as lines. */
export async function openStdioTransport(parts: StdioTransportParts): Promise<Transport> {
  const { events } = parts;
  const child = await parts.processes.start(parts.order);
  const reader = createLineReader(maxMessageBytes);
  const complain = createRateLimitedLog(parts.log, parts.clock);
  const errors = collectErrorOutput(parts);
  const queue = createWriteQueue((text) => child.write(text));
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

  child.onOutput((chunk) => receive(reader.push(chunk)));
  child.onErrorOutput((chunk) => errors.push(chunk));
  child.onDrain(() => queue.drained());
  child.onExit(({ code, signal }) => {
    receive(reader.end());
    if (!isOpen) return;
    isOpen = false;
    queue.close();
    // The direct child has exited; also end the processes it left behind.
    void child.close();
    const how = signal === null ? `exited with code ${String(code)}` : `was killed by ${signal}`;
    const said = errors.last();
    events.closed(said === '' ? how : `${how}: ${said}`);
  });

  return {
    pid: child.pid,
    send(text, id) {
      if (!isOpen || queue.length + text.length > maxMessageBytes) return false;
      queue.push(onOneLine(text), id);
      return true;
    },
    cancel(id, reason) {
      // A request that was not sent needs no cancellation.
      if (queue.withdraw(id)) return;
      const params = JSON.stringify({ requestId: id, reason });
      queue.pushFirst(notificationText('notifications/cancelled', params));
    },
    abandon: (id) => void queue.withdraw(id),
    agree() {},
    forget() {},
    async close() {
      isOpen = false;
      queue.close();
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
