import { messageOf } from '../../lib/error-message.js';
import {
  type Attempt,
  beginAttempt,
  createFault,
  type Delegation,
  faulted,
  type Observer,
  type Outcome,
  type Request,
  type Session,
  traceIdOf,
  type Wanted,
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
  readonly whyNot: (asked: Pick<Request, 'session' | 'wanted'>) => string;
  /** For lookups: attempts are redacted already. */
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

const nothing: Outcome = faulted(createFault('tool.not_found', ''));
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
  const detail = parts.place === undefined ? undefined : { place: parts.place };

  function end(attempt: Attempt): void {
    const record = recordOf(attempt, parts.now(), parts.revision(), detail);
    if (attempt.source !== undefined) return queue.add(record);
    queue.addSoon(attempt.session, () => ({ ...record, reason: reasonOf(attempt, parts.whyNot) }));
  }

  function missed(request: Request): void {
    const attempt = beginAttempt(request, parts.redact).end(nothing, undefined, 0);
    const {
      outcome: _outcome,
      ms: _ms,
      ...record
    } = recordOf(attempt, parts.now(), parts.revision(), detail);
    queue.addSoon(request.session, () => ({
      ...record,
      action: 'describe',
      decision: 'deny',
      reason: parts.whyNot(request),
    }));
  }

  return {
    observer: { name: 'audit', begin: () => end },
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
    // A full batch is written at once: records that wait longer outlive a garbage collection, which costs more.
    if (this.#waiting.length === batchSize && !this.#isFailing) setImmediate(() => void this.#write());
    this.#timer ??= setTimeout(() => void this.#write(), gatherMs).unref();
  }

  /**
   * Creates the record a while after the response: looking up the reason takes different time for hidden and absent
   * tools, and the caller could measure it in its next call.
   */
  addSoon(session: Session, make: () => AuditRecord): void {
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
  at: number,
  revision: number | undefined,
  detail: AuditRecord['detail'],
): AuditRecord {
  const { session, isRefused } = attempt;
  const { chain = [] } = session;
  const outcome = attempt.fault ?? (attempt.isToolError ? 'tool_error' : 'ok');
  // Assigned one by one: spreading optional members costs more than the rest of the record.
  const record: { -readonly [K in keyof AuditRecord]: AuditRecord[K] } = {
    at,
    zone: session.principal.zone,
    action: actions[attempt.kind],
    decision: isRefused ? 'deny' : 'allow',
    principal: formatPrincipal(session.principal),
    target: attempt.name.slice(0, 512),
    reason: isRefused ? outcome : isOperators(session) ? 'admin' : 'granted',
    outcome,
    requestId: attempt.id,
    sessionId: session.id,
    ms: Math.round(attempt.ms * 1000) / 1000,
  };
  if (chain.length > 1) record.chain = chain.map(nameOf);
  const tokenId = chain.at(-1)?.tokenId;
  if (tokenId !== undefined) record.tokenId = tokenId;
  const traceId = traceIdOf(attempt.trace);
  if (traceId !== undefined) record.traceId = traceId;
  if (revision !== undefined) record.revision = revision;
  if (detail !== undefined) record.detail = detail;
  return record;
}

/** If the target was found but refused, for example for its arguments, the fault code is the reason. */
function reasonOf(attempt: Attempt, whyNot: AuditParts['whyNot']): string {
  const { fault } = attempt;
  const isMissing =
    fault === undefined ||
    fault === 'internal' ||
    fault.endsWith('.not_found') ||
    fault === 'tool.not_permitted';
  return isMissing ? whyNot(attempt) : fault;
}

function nameOf({ principal }: Delegation): string {
  return formatPrincipal(principal);
}

function isOperators({ chain = [] }: Session): boolean {
  return chain.length > 0 && chain.every(({ rights }) => rights === 'all');
}
