import type { Action, ChainAnswer, Reason } from '../authorizer/index.js';
import { type Requester, type RequesterOptions, readRequester } from './requester.js';
import { notesOf } from './inspect.js';
import { linkView, type DelegationView } from './delegation-view.js';
import { type AdminCatalog, type AdminParts, lookUp } from './parts.js';
import { reasonWords } from './describe-reason.js';
import { type Remedy, remediesOf } from './remedies.js';
import { readPrincipal } from './receiver.js';
import { strangerNotes } from './strangers.js';
import { notListed, unknownWords } from './target.js';
import { readSubject, type Subject } from './subject.js';

export interface Checked {
  readonly principal: string;
  readonly what: string;
  readonly action: Action;
  readonly decision: 'allow' | 'deny';
  readonly reason: Reason;
  readonly zone: string;
  /** The revision of the rights; absent while the store does not respond. */
  readonly revision?: number;
  /** Hints for the caller. */
  readonly notes: readonly string[];
}

export interface Explained extends Checked {
  /** The decision as a sentence. */
  readonly says: string;
  /** The subject as a tuple object. */
  readonly object?: string;
  readonly model: string;
  readonly links: readonly DelegationView[];
  /** Zero-based position of the link that decided. */
  readonly decidedBy?: number;
  /** What would change the decision. */
  readonly change: readonly Remedy[];
}

export interface ExplainOptions extends RequesterOptions {
  readonly action?: Action;
}

export async function check(
  parts: AdminParts,
  principal: string,
  what: string,
  options: ExplainOptions = {},
): Promise<Checked> {
  const asked = await ask(parts, principal, what, options);
  const isUnknown = asked.answer.reason === 'unknown_tool';
  const unknown = isUnknown ? [unknownWords(what, asked.catalogue, parts)] : [];
  return { ...checkedOf(parts, asked), notes: [...(await strange(parts, principal)), ...unknown] };
}

export async function explain(
  parts: AdminParts,
  principal: string,
  what: string,
  options: ExplainOptions = {},
): Promise<Explained> {
  const asked = await ask(parts, principal, what, options);
  const { requester, subject, answer, catalogue } = asked;
  const links = await Promise.all(
    answer.links.map((delegation, at) => linkView(parts, requester.links[at], delegation)),
  );
  const lacking = links.findIndex(({ decision }) => decision === 'deny');
  const decidedBy = lacking === -1 ? links.length - 1 : lacking;
  const isUnknown = answer.reason === 'unknown_tool' && catalogue.unlisted.length > 0;
  const checked = checkedOf(parts, asked);
  const named = links.flatMap(({ profiles }) => profiles);
  return {
    ...checked,
    says: sentenceOf(checked, requester),
    ...(subject.spec !== undefined && { object: parts.authorizer.predicates().objectOf(subject.spec) }),
    model: parts.modelId,
    links,
    ...(decidedBy >= 0 && { decidedBy }),
    change: await remediesOf(parts, { ...asked, links }),
    notes: [
      ...(await strange(parts, principal)),
      ...notesOf(parts, principal, named),
      ...(isUnknown ? [notListed(catalogue.unlisted)] : []),
    ],
  };
}

/** While the store does not respond, it is unknown which principals exist. */
async function strange(parts: AdminParts, principal: string): Promise<readonly string[]> {
  if (parts.authorizer.revision === undefined) return [];
  return strangerNotes(parts, readPrincipal(principal, parts));
}

interface Asked {
  readonly requester: Requester;
  readonly subject: Subject;
  readonly answer: ChainAnswer;
  readonly action: Action;
  readonly catalogue: AdminCatalog;
}

async function ask(
  parts: AdminParts,
  principal: string,
  what: string,
  { action = 'call', ...options }: ExplainOptions,
): Promise<Asked> {
  // An unavailable store is a reason to report here, not a failure.
  await parts.authorizer.refresh();
  const requester = await readRequester(parts, principal, options);
  const { found: subject, catalogue } = await lookUp(
    parts,
    (known) => readSubject(what, known, parts),
    ({ spec }) => spec !== undefined,
  );
  const { session, isVoid } = requester;
  const answer = parts.authorizer.explain(session, subject.spec, action);
  const isOverruled = isVoid !== undefined && answer.reason !== 'store_unavailable';
  const voided = { ...answer, isAllowed: false, reason: 'credential_void' as const, links: [] };
  return { requester, subject, action, catalogue, answer: isOverruled ? voided : answer };
}

function checkedOf(
  { zone }: AdminParts,
  { requester, subject, answer, action }: Asked,
): Omit<Checked, 'notes'> {
  return {
    principal: requester.principal,
    what: subject.text,
    action,
    decision: answer.isAllowed ? 'allow' : 'deny',
    reason: answer.reason,
    zone,
    ...(answer.revision !== undefined && { revision: answer.revision }),
  };
}

function sentenceOf(
  { decision, principal, action, what, reason }: Omit<Checked, 'notes'>,
  { isVoid }: Requester,
): string {
  const may = decision === 'allow' ? 'may' : 'may not';
  const more = isVoid === undefined ? '' : ` (${isVoid})`;
  return `${principal} ${may} ${action} ${what}: ${reasonWords[reason]}${more}.`;
}
