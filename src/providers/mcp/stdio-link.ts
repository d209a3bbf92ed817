import {
  createLineReader,
  type Line,
  type Log,
  notificationText,
  onOneLine,
  type Processes,
  type ProcessOrder,
  readFrame,
  type Redactor,
} from '../../kernel/index.js';
import { type Link, type LinkEvents, maxMessageBytes } from './link.js';
import type { Clock } from './options.js';
import { createRateLimitedLog } from './rate-limited-log.js';

export interface StdioLinkParts {
  readonly processes: Processes;
  readonly order: ProcessOrder;
  readonly events: LinkEvents;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
}

interface Queued {
  readonly text: string;
  readonly id: number | undefined;
}

const maxErrorLine = 8 * 1024;

/** Starts the server and speaks to it in lines. */
export async function openStdioLink(parts: StdioLinkParts): Promise<Link> {
  const { events } = parts;
  const child = await parts.processes.start(parts.order);
  const reader = createLineReader(maxMessageBytes);
  const complain = createRateLimitedLog(parts.log, parts.clock);
  const errors = collectErrorOutput(parts.log, parts.redact);
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
    if (frame.kind === 'bad') complain('a line from the server is not the protocol', frame.reason);
    events.frame(frame, undefined);
  }

  /** All that was queued in one tick goes out in one write. */
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

  /** Takes back a request that has not left yet. */
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
    // The direct child is gone; what it left behind goes too.
    void child.close();
    const how = signal === null ? `exited with code ${String(code)}` : `ended by ${signal}`;
    events.closed(errors.last() === '' ? how : `${how}: ${errors.last()}`);
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
      // What never left need not be stopped.
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

/** What the child says on stderr is kept for the operator: as debug lines, and the last one as the reason of an exit. */
function collectErrorOutput(log: Log, redact: Redactor): ErrorOutput {
  const reader = createLineReader(maxErrorLine);
  let last = '';
  return {
    push(chunk) {
      for (const line of reader.push(chunk)) {
        if (line.kind !== 'line') continue;
        // Before it is cut: half a secret is known by no shape.
        const text = redact(line.text);
        last = text.trim().slice(0, 300);
        log('debug', 'server stderr', { line: text });
      }
    },
    last: () => last,
  };
}
