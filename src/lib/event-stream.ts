/** One server-sent event. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

export interface SseReader {
  /** Adds bytes and returns completed events. Throws if an event is too long or not UTF-8. */
  push(chunk: Uint8Array): readonly SseEvent[];
  /** The id of the last event, for resuming a broken stream. */
  readonly lastEventId: string | undefined;
  /** How long the server asks us to wait before resuming. */
  readonly retryMs: number | undefined;
}

/** The memory overhead of a line, so that many short lines also count towards the limit. */
const lineCost = 16;

export interface SseOptions {
  /** Called for each empty line: a server may send a few to keep a connection alive, but never thousands at once. */
  readonly mayBeEmpty?: () => boolean;
  /** Replaces bytes that are not UTF-8. */
  readonly isLenient?: boolean;
}

/**
 * Reads `text/event-stream` in chunks that may split characters, lines or CRLF. Not `eventsource-parser`, because that
 * neither limits lines without data nor reports them, and loses the id of an event without data.
 */
export function createSseReader(limit: number, options: SseOptions = {}): SseReader {
  const { mayBeEmpty = () => true, isLenient = false } = options;
  const decoder = new TextDecoder('utf-8', { fatal: !isLenient });
  let rest: string[] = [];
  let restLength = 0;
  let data: string[] = [];
  let length = 0;
  let event = '';
  let id: string | undefined;
  let retryMs: number | undefined;
  let endedWithCr = false;

  function takeEmpty(): void {
    if (!mayBeEmpty()) throw new Error('too many empty lines');
  }

  function takeField(line: string): void {
    const colon = line.indexOf(':');
    length += lineCost;
    if (colon === 0) return takeEmpty();
    const name = colon < 0 ? line : line.slice(0, colon);
    const from = line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1;
    const value = colon < 0 ? '' : line.slice(from);
    if (name === 'data') {
      if (value === '') takeEmpty();
      data.push(value);
      length += value.length;
    } else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value);
  }

  function dispatch(events: SseEvent[]): void {
    if (data.length === 0) takeEmpty();
    else events.push({ event: event === '' ? 'message' : event, data: data.join('\n') });
    data = [];
    length = 0;
    event = '';
  }

  return {
    push(chunk) {
      const events: SseEvent[] = [];
      let text = decoder.decode(chunk, { stream: true });
      if (text === '') return events;
      // Ignore the LF of a CRLF that was split between chunks.
      if (endedWithCr && text.startsWith('\n')) text = text.slice(1);
      endedWithCr = text === '' ? false : text.endsWith('\r');
      const pieces = text.split(/\r\n|\n|\r/);
      const last = pieces.pop() ?? '';
      for (const piece of pieces) {
        // Search only new text for line ends, so that a long line takes linear time.
        const line = rest.length === 0 ? piece : rest.join('') + piece;
        rest = [];
        restLength = 0;
        if (line === '') dispatch(events);
        else takeField(line);
      }
      if (last !== '') rest.push(last);
      restLength += last.length;
      if (length + restLength > limit) throw new Error('an event is too long');
      return events;
    },
    get lastEventId() {
      return id;
    },
    get retryMs() {
      return retryMs;
    },
  };
}
