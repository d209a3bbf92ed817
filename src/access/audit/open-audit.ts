import {
  type Attempt,
  createFault,
  faulted,
  isToolError,
  type Link,
  type Observer,
  type Request,
  type Session,
  type Wanted,
  wantedName,
} from '../../kernel/index.js';
import { formatPrincipal } from '../object-ids.js';
import type { AuditAction } from '../audit-actions.js';
import type { AuditRecord, AuditStore } from '../ports.js';

export interface AuditParts {
  /** Opened when there is something to keep: a gate that nobody calls opens nothing. */
  readonly store: () => Promise<Pick<AuditStore, 'appendAudit'>>;
  readonly now: () => number;
  /** Which state of the rights was asked; undefined where none is kept. */
  readonly revision: () => number | undefined;
  /** Why a request found nothing. Asked after the answer has left, so that no answer takes longer for it. */
  readonly whyNot: (request: Request) => string;
  readonly redact: (text: string) => string;
  /** The configuration that the gate was opened with: one store may serve many folders. */
  readonly place?: string;
  readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** Keeps a record of every attempt: who, what, allowed or not and why. Never what was said. */
export interface Audit {
  readonly observer: Observer;
  /** Keeps what no attempt tells of. */
  keep(record: AuditRecord): void;
  /** Keeps that somebody asked what something is, and found nothing. */
  missed(request: Request): void;
  /** Writes down what is still waiting. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const nothing: Attempt['outcome'] = faulted(createFault('tool.not_found', ''));
const gatherMs = 250;
/** Within this time the reason of a refusal is found. */
const explainMs = 50;
const batchSize = 500;
/** What waits for a store that is slow or gone. Beyond it records are lost, and the operator is told how many. */
const maxWaiting = 20_000;

const actions = {
  tool: 'call',
  prompt: 'get',
  resource: 'read',
  completion: 'complete',
} as const satisfies Record<Wanted['kind'], AuditAction>;

export function openAudit(parts: AuditParts): Audit {
  const waiting: AuditRecord[] = [];
  const detail = parts.place === undefined ? {} : { detail: { place: parts.place } };
  const unexplained = new Set<() => void>();
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isFailing = false;

  function keep(record: AuditRecord): void {
    if (waiting.length >= maxWaiting) {
      lost += 1;
      return;
    }
    waiting.push(record);
    timer ??= setTimeout(() => void write(), waiting.length >= batchSize ? 0 : gatherMs).unref();
  }

  /**
   * Not right after the answer, where whoever asked would feel in the next one how long it takes to find the reason:
   * that is different for what is hidden and for what is absent.
   */
  function explainSoon(explain: () => void): void {
    if (unexplained.size + waiting.length >= maxWaiting) {
      lost += 1;
      return;
    }
    unexplained.add(explain);
    setTimeout(() => {
      if (unexplained.delete(explain)) explain();
    }, Math.random() * explainMs).unref();
  }

  function explainAll(): void {
    const all = [...unexplained];
    unexplained.clear();
    for (const explain of all) explain();
  }

  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize);
      try {
        const store = await parts.store();
        await store.appendAudit(batch);
        waiting.splice(0, batch.length);
        succeeded();
      } catch (error) {
        return failed(error);
      }
    }
  }

  function succeeded(): void {
    isFailing = false;
    if (lost === 0) return;
    parts.warn('records of calls were lost: the audit store did not keep up', { lost });
    lost = 0;
  }

  function failed(error: unknown): void {
    if (!isFailing) {
      const message = error instanceof Error ? error.message : String(error);
      parts.warn('calls are not being recorded: the audit store does not answer', { message });
    }
    isFailing = true;
    timer ??= setTimeout(() => void write(), 10 * gatherMs).unref();
  }

  const observer: Observer = {
    name: 'audit',
    begin: () => (attempt) => {
      const at = parts.now();
      const revision = parts.revision();
      if (attempt.call !== undefined)
        return keep({ ...recordOf(attempt, { at, revision }, parts.redact), ...detail });
      explainSoon(() => {
        const reason = reasonOf(attempt, parts.whyNot);
        keep({ ...recordOf(attempt, { at, revision }, parts.redact), ...detail, decision: 'deny', reason });
      });
    },
  };

  function missed(request: Request): void {
    const [at, revision] = [parts.now(), parts.revision()];
    explainSoon(() => {
      const {
        outcome: _outcome,
        ms: _ms,
        ...record
      } = recordOf({ request, outcome: nothing, ms: 0 }, { at, revision }, parts.redact);
      keep({ ...record, ...detail, action: 'describe', decision: 'deny', reason: parts.whyNot(request) });
    });
  }

  function flush(): Promise<void> {
    explainAll();
    return write();
  }

  return {
    observer,
    keep,
    missed,
    flush,
    async close() {
      await flush();
      clearTimeout(timer);
    },
  };
}

function recordOf(
  attempt: Attempt,
  { at, revision }: { readonly at: number; readonly revision: number | undefined },
  redact: (text: string) => string,
): AuditRecord {
  const { request, outcome, ms } = attempt;
  const { session, wanted } = request;
  const traceId = request.trace && traceIdOf(request.trace.traceparent);
  const chain = session.chain ?? [];
  const tokenId = chain.at(-1)?.tokenId;
  return {
    at,
    zone: session.principal.zone,
    action: actions[wanted.kind],
    decision: 'allow',
    principal: formatPrincipal(session.principal),
    ...(chain.length > 1 && { chain: chain.map(nameOf) }),
    ...(tokenId !== undefined && { tokenId }),
    target: redact(wantedName(wanted)).slice(0, 512),
    reason: isOperators(session) ? 'admin' : 'granted',
    outcome: outcome.kind === 'fault' ? outcome.fault.code : isToolError(attempt) ? 'tool_error' : 'ok',
    requestId: request.id,
    sessionId: session.id,
    ms: Math.round(ms * 1000) / 1000,
    ...(traceId !== undefined && { traceId }),
    ...(revision !== undefined && { revision }),
  };
}

/** What was found and still refused, such as for its arguments, says so itself. */
function reasonOf({ request, outcome }: Attempt, whyNot: AuditParts['whyNot']): string {
  const code = outcome.kind === 'fault' ? outcome.fault.code : undefined;
  const isMissing = code === undefined || code === 'internal' || code.endsWith('.not_found');
  return isMissing ? whyNot(request) : code;
}

function nameOf({ principal }: Link): string {
  return formatPrincipal(principal);
}

function isOperators({ chain = [] }: Session): boolean {
  return chain.length > 0 && chain.every(({ rights }) => rights === 'all');
}

const traceparent = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

function traceIdOf(text: string): string | undefined {
  return traceparent.exec(text)?.[1];
}
