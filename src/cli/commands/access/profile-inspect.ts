import type { OpenAdmin } from '../../../features/admin/index.js';
import { printable } from '../../../config/index.js';
import { type Command, configOption, type Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { labelled, shortTime } from './rights-text.js';
import { withAdmin } from './with-admin.js';

type Inspected = Awaited<ReturnType<OpenAdmin['service']['profileInspect']>>;
type Grant = Inspected['grants'][number];

export const profileInspect: Command = {
  name: 'profile inspect',
  summary: 'Show the profiles, roles, grants and blocks of a principal or role, and the resulting tools.',
  arguments: [{ name: '<principal>', about: 'agent:alice, user:ana, service:ci, or role:dev.' }],
  options: [configOption],
  examples: ['tidegate profile inspect agent:alice'],
  run(given, context) {
    const [principal = ''] = given.arguments;
    return withAdmin(given, context, async (service) => {
      const inspected = await service.profileInspect(principal);
      context.output.json(inspected);
      show(inspected, context);
      return exitCodes.ok;
    });
  },
};

function show(inspected: Inspected, { output }: Context): void {
  const { principal, zone, revision, isAdmin, members = [], roles, matching, notes } = inspected;
  const place = `(zone ${printable(zone)}, revision ${String(revision)})`;
  output.line(`${output.paint('bold', printable(principal))}  ${output.paint('dim', place)}`);
  output.line();
  if (isAdmin) labelled('Admin', ['may do everything in this zone, including changing grants'], output);
  labelled('Profile', [profileText(inspected)], output);
  if (roles.length > 0) labelled('Roles', roles, output);
  if (members.length > 0) labelled('Members', members, output);
  showGrants('Grants', inspected.grants, output);
  showGrants('Blocks', inspected.blocks, output);
  if (inspected.added.length > 0) labelled('File +', inspected.added, output);
  if (inspected.taken.length > 0) labelled('File -', inspected.taken, output);
  output.line();
  showReach(inspected, output);
  if (matching.length > 0) labelled('Same as', [`profile ${matching.join(' or ')}`], output);
  for (const note of notes) output.note(note);
}

/** Shows callable tools and tools that are only visible on separate lines. */
function showReach({ see, call }: Inspected, output: Output): void {
  const callable = new Set(call);
  const only = see.filter((name) => !callable.has(name));
  labelled('May call', call.length === 0 ? ['nothing'] : call, output);
  if (only.length > 0) labelled('Sees only', only, output);
}

function profileText({ profiles, byDefault, assigned }: Inspected): string {
  if (byDefault !== undefined) return `${byDefault} (default, because none is assigned)`;
  if (profiles.length === 0) return 'none';
  const own = new Set(assigned.map(({ what }) => what.replace(/^profile:/, '')));
  return profiles.map((name) => (own.has(name) ? name : `${name} (through a role)`)).join(', ');
}

function showGrants(label: string, grants: readonly Grant[], output: Output): void {
  const verbs: Readonly<Record<string, string>> = { caller: 'call', seer: 'see', blocked: 'blocked' };
  if (grants.length === 0) return;
  output.line(label);
  output.table(
    grants.map(({ what, relation, until, isExpired, by, at }) => [
      `  ${printable(what)}`,
      verbs[relation] ?? printable(relation),
      until === undefined
        ? ''
        : isExpired === true
          ? output.paint('yellow', `expired ${shortTime(until)}`)
          : `until ${shortTime(until)}`,
      `by ${printable(by)}, ${at.slice(0, 10)}`,
    ]),
  );
}
