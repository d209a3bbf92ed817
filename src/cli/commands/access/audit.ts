import type { OpenAdmin } from '../../../features/admin/index.js';
import { printable, shellWord } from '../../../config/index.js';
import { type Command, configOption, type Context, type Given, textOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { withAdmin } from './with-admin.js';

type Page = Awaited<ReturnType<OpenAdmin['service']['audit']>>;

export const audit: Command = {
  name: 'audit',
  summary: 'Show the audit log: calls, denials and changes, newest first.',
  options: [
    configOption,
    { name: 'denied', about: 'Show only denied actions.' },
    {
      name: 'principal',
      value: 'principal',
      about: 'Show only actions by this principal, such as agent:alice.',
    },
    {
      name: 'action',
      value: 'action',
      about: 'Show only this action: call, read, get, complete, grant.write, …',
    },
    { name: 'limit', value: 'number', about: 'Number of records to show, 1 to 1000. Default: 20.' },
    { name: 'before', value: 'number', about: 'Show only records before this number, for the next page.' },
  ],
  examples: ['tidegate audit --denied', 'tidegate audit --principal agent:alice --limit 100 --json'],
  run(given, context) {
    const request = {
      ...textMember(given, 'principal'),
      ...textMember(given, 'action'),
      ...numberMember(given, 'limit'),
      ...numberMember(given, 'before'),
      ...(given.options['denied'] === true && { denied: true }),
    };
    return withAdmin(given, context, async (service) => {
      const page = await service.audit(request);
      context.output.json(page);
      show(page, context);
      return exitCodes.ok;
    });
  },
};

function textMember(given: Given, name: string): Readonly<Record<string, string>> {
  const value = textOption(given, name);
  return value === undefined ? {} : { [name]: value };
}

function numberMember(given: Given, name: string): Readonly<Record<string, number>> {
  const value = textOption(given, name);
  if (value === undefined) return {};
  if (/^\d{1,15}$/.test(value)) return { [name]: Number(value) };
  throw new Failure(
    'usage.bad_value',
    `--${name} takes a number, not "${value}".`,
    `tidegate audit --${shellWord(name)} 100`,
  );
}

/** Summarizes a change: its target as it was typed, or the principal and origin of a token. */
function describe(detail: Readonly<Record<string, unknown>>): string {
  const { what, profile, add, remove, removed } = detail;
  const counts = [
    ...(Array.isArray(add) ? [`+${String(add.length)}`] : []),
    ...(Array.isArray(remove) ? [`-${String(remove.length)}`] : []),
    ...(typeof removed === 'number' ? [`-${String(removed)}`] : []),
  ];
  const named = tokenActions.flatMap(([name, word]) => {
    const value = detail[name];
    return typeof value === 'string' ? [`${word} ${value}`] : [];
  });
  const words = what ?? profile;
  return [...named, ...(typeof words === 'string' ? [words] : []), ...counts].join(' ');
}

const tokenActions = [
  ['principal', 'for'],
  ['parent', 'from'],
  ['replaces', 'replaces'],
  ['replacedBy', 'replaced by'],
] as const;

/** Recorded as denied because the call failed, but no right was missing. */
const callersErrors: readonly string[] = ['input.invalid'];

/** Outcomes of allowed calls that ran. */
const doneOutcomes: readonly (string | undefined)[] = [undefined, 'ok', 'tool_error'];

function shownDecision(
  { decision, reason = '', outcome }: Page['records'][number],
  output: Context['output'],
): string {
  if (decision === 'allow')
    return doneOutcomes.includes(outcome) ? output.paint('green', decision) : output.paint('yellow', 'error');
  return callersErrors.includes(reason) ? output.paint('yellow', 'error') : output.paint('red', decision);
}

function show({ records, before, notes }: Page, { output }: Context): void {
  const rows = records.map((record) => {
    const { at, decision, principal, action, target = '', reason, outcome, detail = {} } = record;
    return [
      new Date(at).toISOString().slice(0, 19).replace('T', ' '),
      shownDecision(record, output),
      printable(principal),
      printable(action),
      printable(
        [target, describe(detail), decision === 'deny' ? reason : outcome].filter(Boolean).join('  '),
      ),
    ];
  });
  if (rows.length === 0) output.line('No audit records found.');
  else output.table([['TIME (UTC)', '', 'PRINCIPAL', 'ACTION', 'TARGET'], ...rows], 'wrapped');
  for (const note of notes) output.note(printable(note));
  if (before !== undefined) output.note(`More records: tidegate audit --before ${String(before)}`);
}
