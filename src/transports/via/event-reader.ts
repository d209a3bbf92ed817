/** Splits a `text/event-stream` into the data of its events. */
export interface EventReader {
  /** Throws if an event is too long or not UTF-8: the rest could not be trusted. */
  push(chunk: Uint8Array): readonly string[];
}

export function createEventReader(limit: number): EventReader {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let unfinished: string[] = [];
  let data: string[] = [];
  let length = 0;
  let isAfterReturn = false;

  function takeLine(line: string, events: string[]): void {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'));
      data = [];
      length = 0;
    } else if (line.startsWith('data:')) {
      const value = line.slice(line.startsWith('data: ') ? 6 : 5);
      data.push(value);
      length += value.length;
    }
    // Comments are keep-alives; the relay ignores event names and ids.
  }

  return {
    push(chunk) {
      let text = decoder.decode(chunk, { stream: true });
      if (isAfterReturn && text.startsWith('\n')) text = text.slice(1);
      if (text !== '') isAfterReturn = text.endsWith('\r');
      const events: string[] = [];
      const lines = text.split(/\r\n|\r|\n/);
      const last = lines.pop() ?? '';
      for (const line of lines) {
        takeLine(unfinished.join('') + line, events);
        unfinished = [];
      }
      if (last !== '') unfinished.push(last);
      const waiting = unfinished.reduce((sum, part) => sum + part.length, length);
      if (waiting > limit) throw new Error('an event from the gateway is too long');
      return events;
    },
  };
}
