/** One event of a server-sent stream. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

export interface SseReader {
  /** Takes bytes and gives back the events that are whole now. Throws when they are not UTF-8 or an event is too long. */
  push(chunk: Uint8Array): readonly SseEvent[];
  /** The id of the last event, with which a broken stream can be taken up again. */
  readonly lastEventId: string | undefined;
  /** How long the server wants us to wait before that. */
  readonly retryMs: number | undefined;
}

/** Reads `text/event-stream`, however it is cut: in a character, in a line, between CR and LF. */
export function createSseReader(limit: number): SseReader {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest: string[] = [];
  let restLength = 0;
  let data: string[] = [];
  let length = 0;
  let event = '';
  let id: string | undefined;
  let retryMs: number | undefined;
  let endedWithCr = false;

  function takeField(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const from = line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1;
    const value = colon < 0 ? '' : line.slice(from);
    if (name === 'data') {
      data.push(value);
      length += value.length;
    } else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value);
  }

  function dispatch(events: SseEvent[]): void {
    if (data.length > 0) events.push({ event: event === '' ? 'message' : event, data: data.join('\n') });
    data = [];
    length = 0;
    event = '';
  }

  return {
    push(chunk) {
      const events: SseEvent[] = [];
      let text = decoder.decode(chunk, { stream: true });
      if (text === '') return events;
      // The LF of a CRLF that was cut in the middle ends nothing.
      if (endedWithCr && text.startsWith('\n')) text = text.slice(1);
      endedWithCr = text === '' ? false : text.endsWith('\r');
      const pieces = text.split(/\r\n|\n|\r/);
      const last = pieces.pop() ?? '';
      for (const piece of pieces) {
        // Only what is new is searched for line ends, so that a long line costs no more than its length.
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
