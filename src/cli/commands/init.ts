import type { AgentReport } from '../../app/workflows/index.js';
import type { ImportWish, Workspace } from '../../app/import/index.js';
import { findConfig, printable } from '../../config/index.js';
import type { Command, Context, Given } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { type ImportChoice, runImport, tellPassing } from '../import-flow.js';
import { shortPath } from '../import-text.js';
import { newConfigText } from '../new-config.js';
import { homeOf } from './import.js';

/** Agents that cannot start say so at once; those that work may take seconds, and nobody waits for them here. */
const startMs = 1500;

export const init: Command = {
  name: 'init',
  summary: 'Look at this machine and folder, and write a tidegate.yaml with what is found.',
  options: [
    { name: 'yes', about: 'Do not ask.' },
    { name: 'dry-run', about: 'Show everything, and write nothing.' },
    {
      name: 'secrets',
      value: 'keep|reference',
      about: 'What becomes of secrets in clear text; see tidegate import --help.',
    },
  ],
  examples: ['tidegate init', 'tidegate init --dry-run', 'tidegate init --yes --json'],
  async run(given, context) {
    const [{ reportStarts }, { clientsNamed, lookAround }] = await Promise.all([
      import('../../app/workflows/index.js'),
      import('../../app/import/index.js'),
    ]);
    const reports = await reportStarts({ ...context, limitMs: startMs });
    const agents = reports.filter(({ program, trouble }) => program !== undefined && trouble === undefined);
    const workspace = lookAround(context.cwd, homeOf(context.env));
    showFound(agents, workspace, context);
    showBroken(reports, context);
    const wish = wishOf(clientsNamed([]) ?? [], context);
    const choice = choiceOf(given, reports, workspace);
    const known = findConfig(context.cwd);
    if (known !== undefined) return offerImport(known, wish, choice, context);
    const { plan, applied } = await runImport({ ...wish, opening: await openingFor(wish) }, choice, context);
    if (applied !== undefined)
      tellNext(
        agents,
        plan.servers.some(({ fate }) => fate === 'import'),
        context,
      );
    return exitCodes.ok;
  },
};

function wishOf(clients: ImportWish['clients'], { cwd, env, version }: Context): ImportWish {
  const plain = { isOperators: false, takesDisabled: false, isPointing: false, named: [] };
  return { ...plain, ...{ cwd, env, version, clients }, home: homeOf(env) };
}

function choiceOf(given: Given, agents: readonly AgentReport[], workspace: Workspace): ImportChoice {
  const { secrets, yes } = given.options;
  if (secrets !== undefined && secrets !== 'keep' && secrets !== 'reference')
    throw new Failure(
      'usage.bad_value',
      '--secrets takes keep or reference.',
      'tidegate init --secrets keep',
    );
  const found = agents
    .filter(({ program, trouble }) => program !== undefined || trouble !== undefined)
    .map(({ name, title, version, program, trouble }) => ({ name, title, version, program, trouble }));
  return {
    isDry: given.options['dry-run'] === true,
    isAgreed: yes === true,
    secrets,
    again: 'tidegate init',
    keep: 'tidegate import --secrets keep',
    more: { agents: found, workspace },
  };
}

/** Whether there is anything to import decides how the new file begins. */
async function openingFor(wish: ImportWish): Promise<string> {
  const { planImport } = await import('../../app/import/index.js');
  const { added } = await planImport(wish);
  return newConfigText(added.length > 0, wish.cwd);
}

/** A file that is there is never written anew; what it lacks can be added. */
async function offerImport(
  known: string,
  wish: ImportWish,
  choice: ImportChoice,
  context: Context,
): Promise<ExitCode> {
  context.output.say(`There is a tidegate.yaml already, and it stays: ${printable(shortPath(known))}`);
  context.output.line();
  const { plan } = await runImport(wish, { ...choice, isDry: true, isLook: true }, context);
  const count = plan.added.length;
  await tellPassing(context, 'below');
  context.output.line(
    count === 0
      ? 'It lacks none of the servers that were found. Next: tidegate doctor'
      : `${count === 1 ? 'One server' : `${String(count)} servers`} could be added. Next: tidegate import`,
  );
  return exitCodes.ok;
}

function showFound(
  agents: readonly AgentReport[],
  { folder, repository, languages }: Workspace,
  { output }: Context,
): void {
  const said = agents.map(({ title, version }) => `${title}${version === undefined ? '' : ` ${version}`}`);
  const about = [repository === undefined ? 'no git repository' : 'git repository', ...languages];
  output.table(
    [
      ['Agents', said.length === 0 ? 'none on PATH' : said.join(', ')],
      ['Folder', printable(`${shortPath(folder)} (${about.join(', ')})`)],
    ],
    'wrapped',
  );
  output.line();
}

/** A broken agent is no agent to begin with, and whoever installed it would wonder where it is. */
function showBroken(agents: readonly AgentReport[], { output }: Context): void {
  const broken = agents.flatMap(({ title, trouble }) => (trouble === undefined ? [] : [{ title, trouble }]));
  for (const { title, trouble } of broken) {
    output.line(printable(`${title} cannot start: ${trouble.why}`));
    output.line(printable(`  next: ${trouble.next}`));
  }
  if (broken.length > 0) output.line();
}

function tellNext(agents: readonly AgentReport[], hasServers: boolean, { output }: Context): void {
  output.line();
  output.line('Next:');
  output.table([
    ...agentRows(agents[0]?.name, hasServers),
    ['  tidegate doctor', 'is everything right? what to type if not'],
  ]);
}

/** Without an agent there are the tools themselves to look at. */
function agentRows(agent: string | undefined, hasServers: boolean): readonly (readonly string[])[] {
  if (agent === undefined) return [['  tidegate tools list', 'see the tools of the gate']];
  const pointing = hasServers ? 'put the gate in place of its servers' : 'put the gate into it';
  return [
    [`  tidegate import ${agent} --point`, pointing],
    [`  tidegate run --agent ${agent} --prompt "…"`, 'let it work with the tools of the gate alone'],
  ];
}
