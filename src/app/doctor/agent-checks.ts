import type { AgentReport } from '../workflows/index.js';
import { childEnvironment } from '../../config/index.js';
import { openLateProcesses } from '../late-processes.js';
import type { Check, Finding } from './check.js';
import type { Scene } from './scene.js';

export const agentChecks: readonly Check[] = [
  {
    id: 'sandbox',
    group: 'agents',
    title: 'Sandbox of Bash',
    why: 'With bubblewrap, commands of agents see only the workspace and cannot change what git and Tidegate act on. Without it they run with your rights.',
    remedy:
      'Install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`); in containers, allow user namespaces.',
    limitMs: 15_000,
    run: async (scene) => [await sandboxFinding(scene)],
  },
  {
    id: 'agents',
    group: 'agents',
    title: 'Agents',
    why: 'An agent that cannot start is none, and one that keeps tools of its own goes round the gate: each version is tried with rogue calls before it is believed.',
    remedy: '`tidegate doctor --agent <name>` tries it; update the agent when it leaks.',
    run: (scene) => agentFindings(scene),
  },
];

async function sandboxFinding(scene: Scene): Promise<Finding> {
  if (process.platform !== 'linux')
    return { state: 'note', detail: 'none on this platform: commands run with your rights' };
  if (scene.obstacle() !== undefined)
    return { state: 'skipped', detail: 'the state directory cannot be read' };
  const { findBubblewrap } = await import('../../services/shell/bubblewrap.js');
  const said: string[] = [];
  const processes = openLateProcesses({ stateDir: scene.home, log: () => undefined });
  try {
    const program = await findBubblewrap({
      roots: await scene.roots(),
      processes,
      path: childEnvironment(scene.env, {})['PATH'] ?? '',
      log: (line) => said.push(line),
    });
    if (program !== undefined) return { state: 'ok', detail: `${program} works` };
  } finally {
    await processes.close();
  }
  const why = said.join(' ').replace('Commands run without sandbox: ', '');
  const isThere = why.includes('does not work here');
  const next = isThere ? 'allow user namespaces to this user or container' : 'apt install bubblewrap';
  return { state: 'warn', detail: `none: ${why}`, next };
}

/** A broken one fails at once; one that works and is slow is not waited for longer. */
const startMs = 5000;

async function agentFindings(scene: Scene): Promise<readonly Finding[]> {
  if (scene.obstacle() !== undefined)
    return [{ state: 'skipped', detail: 'the state directory cannot be read' }];
  const { reportStarts } = await import('../workflows/index.js');
  const reports = await reportStarts({ ...scene, limitMs: startMs });
  return reports.flatMap((report): readonly Finding[] => {
    const { verdict, others = [], trouble } = report;
    if (trouble !== undefined) return [brokenFinding(report, trouble)];
    const verdicts = verdict === undefined ? others : [verdict, ...others];
    // One line for each model that it was tried with.
    return verdicts.length === 0
      ? [agentFinding(report, undefined)]
      : verdicts.map((one) => agentFinding(report, one));
  });
}

type Trouble = NonNullable<AgentReport['trouble']>;

/** Its version is that of its package, and says nothing of whether it works. */
function brokenFinding({ name, title, program }: AgentReport, trouble: Trouble): Finding {
  const { why, next } = trouble;
  return {
    state: 'warn',
    about: title,
    detail: `cannot start: ${why}`,
    next,
    facts: { name, program, trouble },
  };
}

function agentFinding(
  { name, title, program, version, install }: AgentReport,
  verdict: AgentReport['verdict'],
): Finding {
  const withModel = verdict?.model === undefined ? '' : `, ${verdict.model}`;
  const about = `${version === undefined ? title : `${title} ${version}`}${withModel}`;
  const facts = { name, program, version, verdict };
  if (program === undefined)
    return { state: 'skipped', about, detail: 'not installed', facts: { ...facts, install } };
  const next = `tidegate doctor --agent ${name}`;
  if (verdict === undefined)
    return { state: 'note', about, detail: 'its isolation was not tried yet', next, facts };
  if (verdict.kind === 'isolated') return { state: 'ok', about, detail: 'isolated', facts };
  if (verdict.kind === 'unprovable')
    return { state: 'warn', about, detail: `cannot be proven: ${verdict.why}`, next, facts };
  const detail = `leaks: ${verdict.leaks.join(', ')}`;
  return { state: 'fail', about, detail, next: `update it, then: ${next}`, facts };
}
