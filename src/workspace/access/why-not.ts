import type { Authorizer } from '../../access/authorizer/index.js';
import { emptyObject } from '../../lib/json-text.js';
import { type Session, type Spec, type Wanted, wantedName } from '../../core/index.js';

export interface WhyNotParts {
  /** Absent if the operator is the only caller. */
  readonly authorizer: Pick<Authorizer, 'explain' | 'onChange' | 'revision'> | undefined;
  /** Finds a tool or resource by name, regardless of visibility. */
  readonly lookup: (wanted: Wanted) => Spec | undefined;
  /** Whether this gateway offers tools of this name at all. */
  readonly isOffered: (name: string) => boolean;
}

interface Known {
  readonly spec: Spec | undefined;
  readonly reason: string;
}

/** Maximum number of cached reasons; any change of rights clears the cache. */
const maxKnown = 5000;
const longestName = 256;
const unknown = 'unknown_tool';

interface Asked {
  readonly session: Session;
  readonly wanted: Wanted;
}

/**
 * Why a request found nothing, for the audit log. Missing and hidden names take the same path and are both cached, so
 * that response times do not reveal which one it is.
 */
export function createWhyNot({ authorizer, lookup, isOffered }: WhyNotParts): (asked: Asked) => string {
  const known = new Map<string, Known>();
  const callers = new WeakMap<object, number>();
  let count = 0;
  authorizer?.onChange(() => known.clear());

  function callerOf({ chain, principal }: Session): number {
    const whose = chain ?? principal;
    let number = callers.get(whose);
    if (number === undefined) callers.set(whose, (number = count += 1));
    return number;
  }

  function reasonFor({ session, wanted }: Asked, spec: Spec | undefined): string {
    const answer = authorizer?.explain(session, spec ?? nothingOf(wanted), 'call');
    if (answer !== undefined && isAboutCaller(answer.reason)) return answer.reason;
    if (spec === undefined) return unknown;
    if (spec.kind === 'tool' && !isOffered(spec.name)) return 'tools_ceiling';
    // Allowed now, but it was not at the time of the request.
    return answer === undefined || answer.isAllowed ? 'no_grant' : answer.reason;
  }

  function remembered(request: Asked, spec: Spec | undefined, name: string): string {
    const key = `${String(callerOf(request.session))} ${request.wanted.kind} ${name}`;
    const before = known.get(key);
    if (before !== undefined && isSame(before.spec, spec)) return before.reason;
    if (known.size >= maxKnown) known.clear();
    const reason = reasonFor(request, spec);
    known.set(key, { spec, reason });
    return reason;
  }

  return (request) => {
    const name = wantedName(request.wanted);
    const spec = lookup(request.wanted);
    // Without a revision, a cached reason could become stale.
    const isLasting = authorizer?.revision !== undefined && name.length <= longestName;
    return isLasting ? remembered(request, spec, name) : reasonFor(request, spec);
  };
}

/** An unlisted URI gets a new definition each time, so resources are compared by value. */
function isSame(one: Spec | undefined, other: Spec | undefined): boolean {
  if (one?.kind !== 'resource' || other?.kind !== 'resource') return one === other;
  return one.source === other.source && one.uri === other.uri;
}

/** Reasons that depend only on the caller. */
function isAboutCaller(reason: string): boolean {
  return reason === 'store_unavailable' || reason === 'wrong_zone' || reason === 'credential_void';
}

function nothingOf({ kind }: Wanted): Spec {
  return kind === 'tool' ? noTool : noResource;
}

const noTool: Spec = {
  kind: 'tool',
  name: '-',
  localName: '-',
  source: 'server:-',
  effect: 'read',
  hints: {},
  definition: emptyObject,
};
const noResource: Spec = { kind: 'resource', uri: '-', source: 'server:-', definition: emptyObject };
