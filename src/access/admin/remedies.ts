import { commandLine } from '../../lib/shell-word.js';
import type { Action, ChainAnswer } from '../authorizer/index.js';
import { describeObject, formatPrincipal } from '../object-ids.js';
import type { Requester } from './requester.js';
import type { DelegationView } from './delegation-view.js';
import { type AdminCatalog, type AdminParts, toolsOf } from './parts.js';
import { type Reach, reachOf, reachOfProfile } from './reach.js';
import { readPrincipal } from './receiver.js';
import type { StepView } from './steps.js';
import type { Subject } from './subject.js';
import { namesIn } from './target.js';

/** An action that would change the decision. */
export interface Remedy {
  readonly says: string;
  /** The command, if there is one. */
  readonly command?: string;
}

export interface RemedyContext {
  readonly requester: Requester;
  readonly subject: Subject;
  readonly answer: ChainAnswer;
  readonly action: Action;
  readonly links: readonly DelegationView[];
  readonly catalogue: AdminCatalog;
}

export async function remediesOf(parts: AdminParts, context: RemedyContext): Promise<readonly Remedy[]> {
  const { answer, requester, subject, links } = context;
  if (answer.isAllowed) return closing(context);
  if (answer.reason === 'unknown_tool') return unknown(parts, context);
  if (answer.reason === 'credential_void') return [newToken(requester, 'create a new token')];
  if (answer.reason === 'store_unavailable')
    return [{ says: 'make the access store available again; until then nothing is visible to anyone' }];
  const lacking = links.find(({ decision }) => decision === 'deny');
  return lacking === undefined ? [] : opening(parts, lacking, { ...context, subject });
}

function make(says: string, ...words: readonly string[]): Remedy {
  return { says, command: commandLine(...words) };
}

/** Ways to remove an existing right. */
function closing({ requester: { principal }, subject, links }: RemedyContext): readonly Remedy[] {
  if (links.some(({ reason }) => reason === 'admin'))
    return [make('remove its admin rights', 'revoke', principal, '--admin')];
  return [make('block it', 'grant', principal, subject.name, '--block')];
}

function unknown(
  { nearest }: AdminParts,
  { requester, subject, catalogue }: RemedyContext,
): readonly Remedy[] {
  const near = nearest(subject.text, namesIn(catalogue));
  return [
    ...(near === undefined ? [] : [make(`did you mean ${near}?`, 'explain', requester.principal, near)]),
    make('find the right name', 'tools', 'list'),
  ];
}

/** Ways to give a link the right that it lacks. */
function opening(parts: AdminParts, delegation: DelegationView, context: RemedyContext): readonly Remedy[] {
  const { subject, action } = context;
  const { principal, reason, because } = delegation;
  const see = action === 'see' ? ['--see'] : [];
  switch (reason) {
    case 'no_grant':
    case 'no_call_grant':
      return [
        make('grant it', 'grant', principal, subject.name, ...see),
        ...widerProfile(parts, principal, context),
      ];
    case 'grant_expired':
    case 'condition_failed':
    case 'condition_input_missing':
      return [make('grant it again', 'grant', principal, subject.name, ...see, '--until', '30d')];
    case 'blocked':
      return [
        ...because.flatMap((step) => unblocking(step)),
        ...(delegation.isGiven === false
          ? [make('then grant it', 'grant', principal, subject.name, ...see)]
          : []),
      ];
    case 'profile_ceiling':
    case 'profile_unknown':
    case 'tools_ceiling':
      return [
        ceilingRemedy(parts, { ...context, requester: { ...context.requester, principal } }, delegation),
      ];
    case 'cycle':
    case 'too_deep':
      return [make('check its roles and remove one of them', 'profile', 'inspect', principal)];
    default:
      return [{ says: 'check the Tidegate log' }];
  }
}

/** The smallest profile that adds it without losing anything, and the smallest that has it at all. */
function widerProfile(parts: AdminParts, principal: string, context: RemedyContext): readonly Remedy[] {
  const tools = toolsOf(context.catalogue);
  const now = reachOf(parts.authorizer.predicates(), readPrincipal(principal, parts), tools);
  const having = profilesWith(parts, context);
  const [smallest] = having;
  const lossless = having.find(({ reach }) => isWithin(now.call, reach.call) && isWithin(now.see, reach.see));
  const assign = (says: string, name: string): Remedy => make(says, 'profile', 'assign', principal, name);
  const remedies =
    lossless === undefined ? [] : [assign(`assign the profile ${lossless.name}`, lossless.name)];
  if (smallest === undefined || smallest === lossless) return remedies;
  const known = new Set(smallest.reach.see);
  const lost = String(now.see.filter((name) => !known.has(name)).length);
  const says = `assign the profile ${smallest.name}, the smallest that allows it; ${lost} tools visible now would be lost`;
  return [...remedies, assign(says, smallest.name)];
}

interface Having {
  readonly name: string;
  readonly reach: Reach;
}

/** The profiles that allow it, smallest first. */
function profilesWith(
  parts: AdminParts,
  { subject: { spec }, action, catalogue }: RemedyContext,
): readonly Having[] {
  if (spec?.kind !== 'tool') return [];
  const predicates = parts.authorizer.predicates();
  const tools = toolsOf(catalogue);
  return [...parts.profiles().profiles.keys()]
    .map((name) => ({ name, reach: reachOfProfile(predicates, name, tools) }))
    .filter(({ reach }) => reach[action].includes(spec.name))
    .sort(({ reach: a }, { reach: b }) => a.call.length - b.call.length || a.see.length - b.see.length);
}

function isWithin(names: readonly string[], all: readonly string[]): boolean {
  const known = new Set(all);
  return names.every((name) => known.has(name));
}

/** Ways to remove a block, wherever it comes from. */
function unblocking(step: StepView): readonly Remedy[] {
  const { tuple, from, steps } = step;
  if (tuple.relation !== 'blocked') return steps.flatMap(unblocking);
  if (from.kind === 'profile') {
    const place = from.isShipped ? 'shipped with Tidegate' : `profiles file${lineOf(from.line)}`;
    return [
      { says: `change "${from.entry}" in the profile ${from.from} (${place})` },
      ...steps.flatMap((below) => leaving(below)),
    ];
  }
  if (from.kind === 'file')
    return [
      { says: `delete it from \`remove\` of ${from.principal} in the profiles file${lineOf(from.line)}` },
    ];
  const who = describeObject(tuple.user).replace(/#member$/, '');
  return [make('remove the block', 'revoke', who, describeObject(tuple.object), '--unblock')];
}

function lineOf(line: number | undefined): string {
  return line === undefined ? '' : `, line ${String(line)}`;
}

/** Ways to end the membership or assignment that the block comes through. */
function leaving({ tuple }: StepView): readonly Remedy[] {
  const who = describeObject(tuple.user).replace(/#member$/, '');
  return tuple.relation === 'member'
    ? [make('remove the role', 'revoke', who, describeObject(tuple.object))]
    : [make('remove the profile, or assign another one', 'profile', 'assign', who, 'none')];
}

function ceilingRemedy(
  parts: AdminParts,
  context: RemedyContext,
  { token, profile }: DelegationView,
): Remedy {
  const [smallest] = profile === undefined ? [] : profilesWith(parts, context);
  const what =
    smallest === undefined
      ? profile === undefined
        ? 'other tools'
        : 'another profile'
      : `the profile ${smallest.name}, the smallest that allows it`;
  if (token === undefined) return { says: `start it with ${what}` };
  const bound = smallest === undefined ? [] : ['--profile', smallest.name];
  return newToken(context.requester, `create a token for ${what}, or one without a limit`, bound);
}

/** A principal with inherited rights needs a token derived from its parent; a new root token would not help. */
function newToken({ principal, links }: Requester, says: string, bound: readonly string[] = []): Remedy {
  const [root] = links;
  const isChild = links.length > 1 && root !== undefined && formatPrincipal(root.principal) !== principal;
  return isChild
    ? make(`${says}, derived from its parent's`, 'token', 'attenuate', '--as', principal, ...bound)
    : make(says, 'token', 'create', '--as', principal, ...bound);
}
