import type { Action, ChainAnswer } from '../authority/index.js';
import { describeObject, formatPrincipal } from '../object-ids.js';
import type { Asker } from './asker.js';
import type { LinkView } from './link-view.js';
import { type DeskCatalogue, type DeskParts, toolsOf } from './parts.js';
import { type Reach, reachOf, reachOfProfile } from './reach.js';
import { readPrincipal } from './receiver.js';
import { commandLine } from './shell-word.js';
import type { StepView } from './steps.js';
import type { Subject } from './subject.js';
import { namesIn } from './target.js';

/** Something that would change an answer. */
export interface Remedy {
  readonly says: string;
  /** What to type, where typing does it. */
  readonly command?: string;
}

export interface RemedyContext {
  readonly asker: Asker;
  readonly subject: Subject;
  readonly answer: ChainAnswer;
  readonly action: Action;
  readonly links: readonly LinkView[];
  readonly catalogue: DeskCatalogue;
}

export async function remediesOf(parts: DeskParts, context: RemedyContext): Promise<readonly Remedy[]> {
  const { answer, asker, subject, links } = context;
  if (answer.isAllowed) return closing(context);
  if (answer.reason === 'unknown_tool') return unknown(parts, context);
  if (answer.reason === 'credential_void') return [newToken(asker, 'give it a new token')];
  if (answer.reason === 'store_unavailable')
    return [{ says: 'bring the access store back; nothing is visible to anybody until it answers' }];
  const lacking = links.find(({ decision }) => decision === 'deny');
  return lacking === undefined ? [] : opening(parts, lacking, { ...context, subject });
}

function make(says: string, ...words: readonly string[]): Remedy {
  return { says, command: commandLine(...words) };
}

/** What takes away a right that is there. */
function closing({ asker: { principal }, subject, links }: RemedyContext): readonly Remedy[] {
  if (links.some(({ reason }) => reason === 'admin'))
    return [make('make it no admin any more', 'revoke', principal, '--admin')];
  return [make('block it', 'grant', principal, subject.name, '--block')];
}

function unknown({ nearest }: DeskParts, { asker, subject, catalogue }: RemedyContext): readonly Remedy[] {
  const near = nearest(subject.text, namesIn(catalogue));
  return [
    ...(near === undefined ? [] : [make(`did you mean ${near}?`, 'explain', asker.principal, near)]),
    make('look for its name', 'tools', 'list'),
  ];
}

/** What gives a link of the chain what it lacks. */
function opening(parts: DeskParts, link: LinkView, context: RemedyContext): readonly Remedy[] {
  const { subject, action } = context;
  const { principal, reason, because } = link;
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
      return [make('grant it anew', 'grant', principal, subject.name, ...see, '--until', '30d')];
    case 'blocked':
      return [
        ...because.flatMap((step) => unblocking(step)),
        ...(link.isGiven === false ? [make('and grant it', 'grant', principal, subject.name, ...see)] : []),
      ];
    case 'profile_ceiling':
    case 'profile_unknown':
    case 'tools_ceiling':
      return [ceilingRemedy(parts, { ...context, asker: { ...context.asker, principal } }, link)];
    case 'cycle':
    case 'too_deep':
      return [make('look at its roles, and take one of them away', 'profile', 'inspect', principal)];
    default:
      return [{ says: 'see the log of the gate' }];
  }
}

/** The smallest profile that has it and loses nothing of what is there; and the smallest that has it at all. */
function widerProfile(parts: DeskParts, principal: string, context: RemedyContext): readonly Remedy[] {
  const tools = toolsOf(context.catalogue);
  const now = reachOf(parts.authority.judge(), readPrincipal(principal, parts), tools);
  const having = profilesWith(parts, context);
  const [smallest] = having;
  const lossless = having.find(({ reach }) => isWithin(now.call, reach.call) && isWithin(now.see, reach.see));
  const assign = (says: string, name: string): Remedy => make(says, 'profile', 'assign', principal, name);
  const remedies =
    lossless === undefined ? [] : [assign(`give it the profile ${lossless.name}`, lossless.name)];
  if (smallest === undefined || smallest === lossless) return remedies;
  const known = new Set(smallest.reach.see);
  const lost = String(now.see.filter((name) => !known.has(name)).length);
  const says = `give it the profile ${smallest.name}, the smallest that has it; what it has now and not there goes: ${lost} to see`;
  return [...remedies, assign(says, smallest.name)];
}

interface Having {
  readonly name: string;
  readonly reach: Reach;
}

/** The profiles that give what was asked for, those that give least first. */
function profilesWith(
  parts: DeskParts,
  { subject: { spec }, action, catalogue }: RemedyContext,
): readonly Having[] {
  if (spec?.kind !== 'tool') return [];
  const judge = parts.authority.judge();
  const tools = toolsOf(catalogue);
  return [...parts.profiles().profiles.keys()]
    .map((name) => ({ name, reach: reachOfProfile(judge, name, tools) }))
    .filter(({ reach }) => reach[action].includes(spec.name))
    .sort(({ reach: a }, { reach: b }) => a.call.length - b.call.length || a.see.length - b.see.length);
}

function isWithin(names: readonly string[], all: readonly string[]): boolean {
  const known = new Set(all);
  return names.every((name) => known.has(name));
}

/** What takes a block away, wherever it comes from. */
function unblocking(step: StepView): readonly Remedy[] {
  const { tuple, from, steps } = step;
  if (tuple.relation !== 'blocked') return steps.flatMap(unblocking);
  if (from.kind === 'profile') {
    const place = from.isShipped ? 'which is shipped' : `in the file of profiles${lineOf(from.line)}`;
    return [
      { says: `change "${from.entry}" of the profile ${from.from}, ${place}` },
      ...steps.flatMap((below) => leaving(below)),
    ];
  }
  if (from.kind === 'file')
    return [
      { says: `take it off \`remove\` of ${from.principal} in the file of profiles${lineOf(from.line)}` },
    ];
  const who = describeObject(tuple.user).replace(/#member$/, '');
  return [make('take the block away', 'revoke', who, describeObject(tuple.object), '--unblock')];
}

function lineOf(line: number | undefined): string {
  return line === undefined ? '' : `, line ${String(line)}`;
}

/** What ends the membership or assignment by which a block reaches somebody. */
function leaving({ tuple }: StepView): readonly Remedy[] {
  const who = describeObject(tuple.user).replace(/#member$/, '');
  return tuple.relation === 'member'
    ? [make('take the role away', 'revoke', who, describeObject(tuple.object))]
    : [make('take the profile away, or give it another', 'profile', 'assign', who, 'none')];
}

function ceilingRemedy(parts: DeskParts, context: RemedyContext, { token, profile }: LinkView): Remedy {
  const [smallest] = profile === undefined ? [] : profilesWith(parts, context);
  const what =
    smallest === undefined
      ? profile === undefined
        ? 'other tools'
        : 'another profile'
      : `the profile ${smallest.name}, the smallest that has it`;
  if (token === undefined) return { says: `start it with ${what}` };
  const bound = smallest === undefined ? [] : ['--profile', smallest.name];
  return newToken(context.asker, `give it a token for ${what}, or without a bound`, bound);
}

/** Whoever has rights only through others gets no more by a token that comes from nobody. */
function newToken({ principal, links }: Asker, says: string, bound: readonly string[] = []): Remedy {
  const [root] = links;
  const isChild = links.length > 1 && root !== undefined && formatPrincipal(root.principal) !== principal;
  return isChild
    ? make(`${says}, made from its parent's`, 'token', 'attenuate', '--as', principal, ...bound)
    : make(says, 'token', 'create', '--as', principal, ...bound);
}
