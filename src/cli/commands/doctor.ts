import type { AgentReport } from '../../app/workflows/index.js';
import { type Command, type Context, type Given, textOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { didYouMean } from '../nearest-name.js';

type Verdict = NonNullable<AgentReport['verdict']>;

export const doctor: Command = {
  name: 'doctor',
  summary: 'Look at the agents of this machine, and try whether they can go round the gate.',
  options: [
    {
      name: 'agent',
      value: 'name',
      about: 'Try this agent with a model that makes rogue calls: claude, gemini, codex, opencode or all.',
    },
    {
      name: 'model',
      value: 'name',
      about: 'The model whose tools are tried. Default: one that the agent knows.',
    },
  ],
  examples: ['tidegate doctor', 'tidegate doctor --agent claude', 'tidegate doctor --agent all --json'],
  async run(given, context) {
    const agents = await import('../../app/workflows/index.js');
    const before = agents.reportAgents(context);
    const named = chosen(given, agents.agentNames, before);
    const reports: AgentReport[] = [];
    for (const report of before)
      reports.push(named.includes(report.name) ? await tried(report, given, context) : report);
    const wanted = named.length === 0 ? reports : reports.filter(({ name }) => named.includes(name));
    show(wanted, context);
    const isSound = wanted.every(({ verdict, others = [] }) =>
      [...(verdict === undefined ? [] : [verdict]), ...others].every(({ kind }) => kind === 'isolated'),
    );
    return isSound ? exitCodes.ok : exitCodes.unavailable;
  },
};

/** The names to try. */
function chosen(given: Given, names: readonly string[], reports: readonly AgentReport[]): readonly string[] {
  const agent = textOption(given, 'agent');
  if (agent === undefined) return [];
  const installed = reports.filter(({ program }) => program !== undefined).map(({ name }) => name);
  if (agent === 'all') {
    if (installed.length > 0) return installed;
    throw new Failure(
      'agent.not_installed',
      `None of these is on PATH: ${names.join(', ')}.`,
      reports[0]?.install,
    );
  }
  const report = reports.find(({ name }) => name === agent);
  if (report === undefined) {
    const near = didYouMean(agent, names);
    throw new Failure('agent.not_found', `Unknown agent: ${agent}.${near}`, 'tidegate doctor');
  }
  if (report.program !== undefined) return [agent];
  throw new Failure(
    'agent.not_installed',
    `${report.title} is not installed: it is not on PATH.`,
    report.install,
  );
}

async function tried(report: AgentReport, given: Given, context: Context): Promise<AgentReport> {
  const { tryAgent } = await import('../../app/workflows/index.js');
  const model = textOption(given, 'model');
  const named = model === undefined ? '' : ` with the model ${model}`;
  context.output.note(`${report.title} ${report.version ?? ''}: trying to go round the gate${named} …`);
  const verdict = await tryAgent(report.name, { ...context, ...(model !== undefined && { model }) });
  const { others: _, ...alone } = report;
  return verdict === undefined ? report : { ...alone, verdict };
}

function show(reports: readonly AgentReport[], { output }: Context): void {
  output.json({ agents: reports });
  output.table([
    ['AGENT', 'VERSION', 'MODEL', 'ISOLATION', ''],
    ...reports.flatMap((report) => rowsOf(report, output)),
  ]);
  for (const { name, program, verdict, others } of reports) {
    if (program !== undefined && verdict === undefined && others === undefined)
      output.line(`Try it: tidegate doctor --agent ${name}`);
  }
}

/** One for each model that it was tried with. */
function rowsOf(
  { title, version = '-', program, verdict, others = [] }: AgentReport,
  output: Context['output'],
): readonly (readonly string[])[] {
  if (program === undefined) return [[title, version, '-', output.paint('dim', 'not installed'), '']];
  const known = verdict === undefined ? others : [verdict, ...others];
  const rows = known.map((one) => [title, version, one.model ?? '-', painted(one, output), detail(one)]);
  return rows.length > 0 ? rows : [[title, version, '-', painted(undefined, output), '']];
}

function painted(verdict: Verdict | undefined, output: Context['output']): string {
  if (verdict === undefined) return output.paint('yellow', 'not tried');
  const colours = { isolated: 'green', leaks: 'red', unprovable: 'yellow' } as const;
  return output.paint(colours[verdict.kind], verdict.kind);
}

function detail(verdict: Verdict): string {
  if (verdict.kind === 'leaks') return verdict.leaks.join(', ');
  if (verdict.kind === 'unprovable') return verdict.why;
  return verdict.growsList ? 'new tools are seen at once' : 'new tools come over the bridge';
}
