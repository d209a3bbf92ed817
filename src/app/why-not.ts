import type { Authority } from '../access/authority/index.js';
import {
  emptyObject,
  type Request,
  type Session,
  type Spec,
  type Wanted,
  wantedName,
} from '../kernel/index.js';

export interface WhyNotParts {
  /** Absent where the operator is the only caller. */
  readonly authority: Pick<Authority, 'explain' | 'onChange' | 'revision'> | undefined;
  /** What there is by that name, whoever may see it. */
  readonly lookup: (wanted: Wanted) => Spec | undefined;
  /** Whether the gate offers tools of this name at all. */
  readonly isOffered: (name: string) => boolean;
}

interface Known {
  readonly spec: Spec | undefined;
  readonly reason: string;
}

/** Reasons that are remembered, each as long as nobody's rights change. */
const maxKnown = 5000;
const longestName = 256;
const unknown = 'unknown_tool';

/**
 * Why a request found nothing, for the record. What does not exist is looked into like what is hidden, and either is
 * remembered: whoever asks again right after an answer must not learn the one from the other by waiting longer.
 */
export function createWhyNot({ authority, lookup, isOffered }: WhyNotParts): (request: Request) => string {
  const known = new Map<string, Known>();
  const callers = new WeakMap<object, number>();
  let count = 0;
  authority?.onChange(() => known.clear());

  function callerOf({ chain, principal }: Session): number {
    const whose = chain ?? principal;
    let number = callers.get(whose);
    if (number === undefined) callers.set(whose, (number = count += 1));
    return number;
  }

  function reasonFor({ session, wanted }: Request, spec: Spec | undefined): string {
    const answer = authority?.explain(session, spec ?? nothingOf(wanted), 'call');
    if (answer !== undefined && isAboutCaller(answer.reason)) return answer.reason;
    if (spec === undefined) return unknown;
    if (spec.kind === 'tool' && !isOffered(spec.name)) return 'tools_ceiling';
    // Allowed by now: it was not when it was asked for.
    return answer === undefined || answer.isAllowed ? 'no_grant' : answer.reason;
  }

  function remembered(request: Request, spec: Spec | undefined, name: string): string {
    const key = `${String(callerOf(request.session))} ${request.wanted.kind} ${name}`;
    const before = known.get(key);
    if (before !== undefined && before.spec === spec) return before.reason;
    if (known.size >= maxKnown) known.clear();
    const reason = reasonFor(request, spec);
    known.set(key, { spec, reason });
    return reason;
  }

  return (request) => {
    const name = wantedName(request.wanted);
    const spec = lookup(request.wanted);
    // What no revision stands for is not remembered.
    const isLasting = authority?.revision !== undefined && name.length <= longestName;
    return isLasting ? remembered(request, spec, name) : reasonFor(request, spec);
  };
}

/** Reasons that hold whatever was asked for. */
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
