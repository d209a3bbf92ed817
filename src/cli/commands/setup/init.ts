import type { AgentReport } from '../../../features/workflows/index.js';
import type { ImportOptions, Workspace } from '../../../features/import/index.js';
import { findConfig, openTrust, printable, shellWord, stateDirectory } from '../../../config/index.js';
import type { Command, Context, Given } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { type ImportChoice, runImport, tellPassing } from './import-flow.js';
import { shortPath } from './import-text.js';
import { newConfigText } from './new-config.js';
import { homeOf } from './import.js';

/** Broken agents fail at once; working ones may take seconds to answer, so stop waiting early. */
const startMs = 1500;

export const init: Command = {
  name: 'init',
  summary: 'Create tidegate.yaml from the agents and MCP servers found on this machine.',
  options: [
    { name: 'yes', about: 'Skip the confirmation prompt.' },
    { name: 'dry-run', about: 'Show what would change without writing anything.' },
    {
      name: 'secrets',
      value: 'keep|reference',
      about: 'What to do with plain-text secrets; see `tidegate import --help`.',
    },
  ],
  examples: ['tidegate init', 'tidegate init --dry-run', 'tidegate init --yes --json'],
  async run(given, context) {
    const [{ agentRoots, reportStarts }, { clientsNamed, examineWorkspace }] = await Promise.all([
      import('../../../features/workflows/index.js'),
      import('../../../features/import/index.js'),
    ]);
    const { cwd, env } = context;
    await refuseGone(context);
    const roots = await agentRoots({ cwd, env });
    const reports = await reportStarts({ ...context, roots, limitMs: startMs });
    const agents = reports.filter(({ program, trouble }) => program !== undefined && trouble === undefined);
    const workspace = examineWorkspace(context.cwd, homeOf(context.env));
    showFound(agents, workspace, context);
    showBroken(reports, context);
    const request = optionsOf(clientsNamed([]) ?? [], context);
    const choice = choiceOf(given, reports, workspace);
    const known = findConfig(context.cwd);
    if (known !== undefined) return offerImport(known, request, choice, context);
    const { plan, applied } = await runImport(
      { ...request, opening: await openingFor(request) },
      choice,
      context,
    );
    if (applied !== undefined)
      tellNext(
        agents,
        plan.servers.some(({ fate }) => fate === 'import'),
        context,
      );
    return exitCodes.ok;
  },
};

/** A new file would be trusted at once and would lift the limits of the missing one. */
async function refuseGone({ cwd, env }: Context): Promise<void> {
  const { goneConfigs } = await import('../../../app/index.js');
  // Unlike `openState`, creates no state folder, so a dry run leaves nothing behind.
  const [file] = goneConfigs({ cwd, env }, openTrust(stateDirectory(env)));
  if (file === undefined) return;
  throw new Failure(
    'config.changed',
    `${file} was trusted but no longer exists. Its rights and limits still apply.`,
    'restore the file, or drop its rights and limits: tidegate trust',
  );
}

function optionsOf(clients: ImportOptions['clients'], { cwd, env, version }: Context): ImportOptions {
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

/** The start of the new file depends on whether there are servers to import. */
async function openingFor(request: ImportOptions): Promise<string> {
  const { planImport } = await import('../../../features/import/index.js');
  const { added } = await planImport(request);
  return newConfigText(added.length > 0, request.cwd);
}

/** Never overwrites an existing file, but offers to add missing servers. */
async function offerImport(
  known: string,
  request: ImportOptions,
  choice: ImportChoice,
  context: Context,
): Promise<ExitCode> {
  context.output.say(`tidegate.yaml already exists and is left unchanged: ${printable(shortPath(known))}`);
  context.output.line();
  const { plan } = await runImport(request, { ...choice, isDry: true, isLook: true }, context);
  const count = plan.added.length;
  await tellPassing(context, 'below');
  context.output.line(
    count === 0
      ? 'All servers found are already in tidegate.yaml. Next: tidegate doctor'
      : `${count === 1 ? 'One server' : `${String(count)} servers`} can be added. Next: tidegate import`,
  );
  return exitCodes.ok;
}

function showFound(
  agents: readonly AgentReport[],
  { folder, repository, languages }: Workspace,
  { output }: Context,
): void {
  const names = agents.map(({ title, version }) => `${title}${version === undefined ? '' : ` ${version}`}`);
  const about = [repository === undefined ? 'no git repository' : 'git repository', ...languages];
  output.table(
    [
      ['Agents', names.length === 0 ? 'none on PATH' : names.join(', ')],
      ['Folder', printable(`${shortPath(folder)} (${about.join(', ')})`)],
    ],
    'wrapped',
  );
  output.line();
}

/** Broken agents are left out of the list above, so say why. */
function showBroken(agents: readonly AgentReport[], { output }: Context): void {
  const broken = agents.flatMap(({ title, trouble }) => (trouble === undefined ? [] : [{ title, trouble }]));
  for (const { title, trouble } of broken) {
    output.say(printable(`${title} cannot start: ${trouble.why}`));
    output.say(printable(`  next: ${trouble.next}`));
  }
  if (broken.length > 0) output.line();
}

function tellNext(agents: readonly AgentReport[], hasServers: boolean, { output }: Context): void {
  output.line();
  output.line('Next:');
  output.table([...agentRows(agents[0]?.name, hasServers), ['  tidegate doctor', 'check your setup']]);
}

/** Without an agent, suggest looking at the tools. */
function agentRows(agent: string | undefined, hasServers: boolean): readonly (readonly string[])[] {
  if (agent === undefined) return [['  tidegate tools list', 'list the available tools']];
  const pointing = hasServers ? 'replace its servers with Tidegate' : 'connect it to Tidegate';
  return [
    [`  tidegate import ${shellWord(agent)} --point`, pointing],
    [`  tidegate run --agent ${shellWord(agent)} --prompt "…"`, 'run it with only the tools from Tidegate'],
  ];
}
