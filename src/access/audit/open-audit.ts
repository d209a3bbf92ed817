import { messageOf } from '../../lib/error-message.js';
import {
  type Attempt,
  createFault,
  faulted,
  isRefused,
  isToolError,
  type Delegation,
  type Observer,
  type Request,
  type Session,
  type Wanted,
  wantedName,
} from '../../core/index.js';
import { formatPrincipal } from '../object-ids.js';
import type { AuditAction } from '../audit-actions.js';
import type { AuditRecord, AuditStore } from '../ports/index.js';

export interface AuditParts {
  /** Opened with the first record, so that an idle gateway opens nothing. */
  readonly store: () => Promise<Pick<AuditStore, 'appendAudit'>>;
  readonly now: () => number;
  /** The revision of the rights that was used; undefined without a store. */
  readonly revision: () => number | undefined;
  /** Why a request found nothing. Called after the response is sent, so that it does not affect timing. */
  readonly whyNot: (request: Request) => string;
  readonly redact: (text: string) => string;
  /** The gateway's configuration file: one store may serve many folders. */
  readonly place?: string;
  readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** Records every attempt: who, what, allowed or not, and why. Never arguments or results. */
export interface Audit {
  readonly observer: Observer;
  /** Records an event that is not an attempt. */
  keep(record: AuditRecord): void;
  /** Records a lookup that found nothing. */
  missed(request: Request): void;
  /** Writes all pending records. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const nothing: Attempt['outcome'] = faulted(createFault('tool.not_found', ''));
const gatherMs = 250;
/** Maximum delay before the reason of a refusal is looked up. */
const explainMs = 50;
const batchSize = 500;
/** Queue limit for a slow or unavailable store. Further records are dropped, and the log says how many and whose. */
const maxWaiting = 20_000;
/** Refused calls are cheap for a caller, so a flood of them must not displace records of real calls. */
const maxRefused = 10_000;
const maxNamed = 20;

const actions = {
  tool: 'call',
  prompt: 'get',
  resource: 'read',
  completion: 'complete',
} as const satisfies Record<Wanted['kind'], AuditAction>;

export function openAudit(parts: AuditParts): Audit {
  const queue = new AuditQueue(parts);
  const detail = parts.place === undefined ? {} : { detail: { place: parts.place } };

  const observer: Observer = {
    name: 'audit',
    begin: () => (attempt) => {
      const at = parts.now();
      const revision = parts.revision();
      const record = (): AuditRecord => ({
        ...recordOf(attempt, { at, revision }, parts.redact),
        ...detail,
      });
      if (attempt.call !== undefined) return queue.add(record());
      queue.addSoon(attempt.request, () => ({ ...record(), reason: reasonOf(attempt, parts.whyNot) }));
    },
  };

  function missed(request: Request): void {
    const [at, revision] = [parts.now(), parts.revision()];
    queue.addSoon(request, () => {
      const {
        outcome: _outcome,
        ms: _ms,
        ...record
      } = recordOf({ request, outcome: nothing, ms: 0 }, { at, revision }, parts.redact);
      return { ...record, ...detail, action: 'describe', decision: 'deny', reason: parts.whyNot(request) };
    });
  }

  return {
    observer,
    keep: (record) => queue.add(record),
    missed,
    flush: () => queue.flush(),
    close: () => queue.close(),
  };
}

/** Records that are not in the store yet. Writes them in batches and tries again when the store fails. */
class AuditQueue {
  readonly #parts: Pick<AuditParts, 'store' | 'warn'>;
  readonly #waiting: AuditRecord[] = [];
  readonly #unexplained = new Set<() => void>();
  readonly #lost = new Map<string, number>();
  #refused = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isFailing = false;

  constructor(parts: Pick<AuditParts, 'store' | 'warn'>) {
    this.#parts = parts;
  }

  add(record: AuditRecord): void {
    const isRefused = record.decision === 'deny';
    if (this.#waiting.length >= maxWaiting || (isRefused && this.#refused >= maxRefused))
      return this.#lose(record.principal);
    if (isRefused) this.#refused += 1;
    this.#waiting.push(record);
    this.#timer ??= setTimeout(
      () => void this.#write(),
      this.#waiting.length >= batchSize ? 0 : gatherMs,
    ).unref();
  }

  /**
   * Creates the record a while after the response: looking up the reason takes different time for hidden and absent
   * tools, and the caller could measure it in its next call.
   */
  addSoon({ session }: Request, make: () => AuditRecord): void {
    if (this.#unexplained.size + this.#refused >= maxRefused)
      return this.#lose(formatPrincipal(session.principal));
    const explain = (): void => this.add(make());
    this.#unexplained.add(explain);
    setTimeout(() => {
      if (this.#unexplained.delete(explain)) explain();
    }, Math.random() * explainMs).unref();
  }

  flush(): Promise<void> {
    const all = [...this.#unexplained];
    this.#unexplained.clear();
    for (const explain of all) explain();
    return this.#write();
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }

  #lose(principal: string): void {
    const name = this.#lost.has(principal) || this.#lost.size < maxNamed ? principal : 'others';
    this.#lost.set(name, (this.#lost.get(name) ?? 0) + 1);
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchSize);
      try {
        const store = await this.#parts.store();
        await store.appendAudit(batch);
        this.#waiting.splice(0, batch.length);
        this.#refused -= batch.filter(({ decision }) => decision === 'deny').length;
        this.#succeeded();
      } catch (error) {
        return this.#failed(error);
      }
    }
  }

  #succeeded(): void {
    this.#isFailing = false;
    if (this.#lost.size === 0) return;
    const lost = [...this.#lost.values()].reduce((sum, one) => sum + one, 0);
    const principals = Object.fromEntries(this.#lost);
    this.#parts.warn('audit records were lost because the audit store is too slow', { lost, principals });
    this.#lost.clear();
  }

  #failed(error: unknown): void {
    if (!this.#isFailing) {
      const message = messageOf(error);
      this.#parts.warn('calls are not being recorded because the audit store does not respond', { message });
    }
    this.#isFailing = true;
    this.#timer ??= setTimeout(() => void this.#write(), 10 * gatherMs).unref();
  }
}

function recordOf(
  attempt: Attempt,
  { at, revision }: { readonly at: number; readonly revision: number | undefined },
  redact: (text: string) => string,
): AuditRecord {
  const { request, ms } = attempt;
  const { session, wanted } = request;
  const traceId = request.trace && traceIdOf(request.trace.traceparent);
  const chain = session.chain ?? [];
  const tokenId = chain.at(-1)?.tokenId;
  return {
    at,
    zone: session.principal.zone,
    action: actions[wanted.kind],
    decision: isRefused(attempt) ? 'deny' : 'allow',
    principal: formatPrincipal(session.principal),
    ...(chain.length > 1 && { chain: chain.map(nameOf) }),
    ...(tokenId !== undefined && { tokenId }),
    target: redact(wantedName(wanted)).slice(0, 512),
    reason: isRefused(attempt) ? outcomeOf(attempt) : isOperators(session) ? 'admin' : 'granted',
    outcome: outcomeOf(attempt),
    requestId: request.id,
    sessionId: session.id,
    ms: Math.round(ms * 1000) / 1000,
    ...(traceId !== undefined && { traceId }),
    ...(revision !== undefined && { revision }),
  };
}

function outcomeOf(attempt: Attempt): string {
  if (attempt.outcome.kind === 'fault') return attempt.outcome.fault.code;
  return isToolError(attempt) ? 'tool_error' : 'ok';
}

/** If the target was found but refused, for example for its arguments, the fault code is the reason. */
function reasonOf({ request, outcome }: Attempt, whyNot: AuditParts['whyNot']): string {
  const code = outcome.kind === 'fault' ? outcome.fault.code : undefined;
  const isMissing =
    code === undefined || code === 'internal' || code.endsWith('.not_found') || code === 'tool.not_permitted';
  return isMissing ? whyNot(request) : code;
}

function nameOf({ principal }: Delegation): string {
  return formatPrincipal(principal);
}

function isOperators({ chain = [] }: Session): boolean {
  return chain.length > 0 && chain.every(({ rights }) => rights === 'all');
}

const traceparent = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

function traceIdOf(text: string): string | undefined {
  return traceparent.exec(text)?.[1];
}
