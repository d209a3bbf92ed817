import { type Attempt, type Client, type Session, traceIdOf, type Wanted } from '../../core/index.js';
import { printableJson } from '../../lib/printable.js';

const messages = {
  tool: 'tool.call',
  prompt: 'prompt.get',
  resource: 'resource.read',
  completion: 'completion.complete',
} as const satisfies Record<Wanted['kind'], string>;

export function attemptLevel({ outcome }: Attempt): 'info' | 'warn' {
  return outcome === 'fault' ? 'warn' : 'info';
}

/** The members of an attempt's log line, as JSON text. Texts that repeat are quoted only once. */
export function createAttemptMembers(): (attempt: Attempt) => string {
  const quote = createQuote();
  const sessions = new WeakMap<Session, string>();
  const clients = new WeakMap<Client, string>();

  function sessionMembers(attempt: Attempt): string {
    const known = sessions.get(attempt.session);
    if (known !== undefined) return known;
    const text = `"session":${quote(attempt.sessionId)},"principal":${quote(attempt.principal)}`;
    sessions.set(attempt.session, text);
    return text;
  }

  function clientMembers(attempt: Attempt): string {
    const known = clients.get(attempt.client);
    if (known !== undefined) return known;
    const { clientName, client } = attempt;
    const name = clientName === undefined ? '' : `"client":${quote(clientName)},`;
    const text = `${name}"protocol":"${client.protocol}"`;
    clients.set(client, text);
    return text;
  }

  return (attempt) => {
    const { kind, via, source, provider } = attempt;
    let line = `"request":${JSON.stringify(attempt.id)},${sessionMembers(attempt)},"kind":"${kind}","name":${quote(attempt.name)}`;
    if (via !== undefined) line += `,"via":${quote(via)}`;
    if (source !== undefined) line += `,"source":${quote(source)}`;
    if (provider !== undefined) line += `,"provider":${quote(provider)}`;
    line += `,${clientMembers(attempt)},"ms":${String(Math.round(attempt.ms * 1000) / 1000)},"outcome":"${attempt.outcome}"`;
    if (attempt.fault !== undefined) line += `,"fault":"${attempt.fault}"`;
    if (attempt.isToolError) line += ',"isError":true';
    const trace = traceIdOf(attempt.trace);
    if (trace !== undefined) line += `,"trace":"${trace}"`;
    if (attempt.detail !== undefined) line += `,"detail":${quote(attempt.detail)}`;
    return `${line},"msg":"${messages[kind]}"`;
  };
}

const maxLength = 128;
const maxEntries = 512;

/** Quotes texts as JSON, with deceptive characters escaped. Caches short ones, because names repeat. */
function createQuote(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const quoted = printableJson(JSON.stringify(text));
    if (text.length > maxLength) return quoted;
    if (known.size >= maxEntries) known.clear();
    known.set(text, quoted);
    return quoted;
  };
}
