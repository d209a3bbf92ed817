import { homedir } from 'node:os';
import { delimiter, sep } from 'node:path';
import { shellWord } from '../../lib/shell-word.js';
import type { AgentReport } from '../../workspace/agents/agent-reports.js';
import { childEnvironment, createWritableRule, writablePlaceOf } from '../../config/index.js';
import { openLateProcesses } from '../../workspace/late-processes.js';
import type { Check, Finding } from './check.js';
import { exposureFindings } from './exposure.js';
import type { Scene } from './scene.js';

export const agentChecks: readonly Check[] = [
  {
    id: 'sandbox',
    group: 'agents',
    title: 'Bash sandbox',
    why: 'With bubblewrap, commands can write only to the workspace and cannot see or change Tidegate’s own files. Without it, your commands run with your full permissions, and Bash is unavailable to other principals.',
    remedy:
      'Install bubblewrap (`apt install bubblewrap` or `dnf install bubblewrap`). In containers, allow user namespaces.',
    limitMs: 15_000,
    run: async (scene) => {
      const found = await sandboxFinding(scene);
      const isSandboxed = found.state === 'ok';
      const added = isSandboxed ? await writableFindings(scene) : [];
      return [found, ...added, ...(await exposureFindings(scene, isSandboxed))];
    },
  },
  {
    id: 'agents',
    group: 'agents',
    title: 'Agents',
    why: 'An agent that keeps its built-in tools can bypass Tidegate. Tidegate tests each agent version with forbidden calls before it relies on the agent’s isolation.',
    remedy: 'Run `tidegate doctor --agent <name>` to test an agent. If it can bypass Tidegate, update it.',
    // Five seconds to read the versions, then time to end slow processes.
    limitMs: 20_000,
    run: (scene) => agentFindings(scene),
  },
];

async function sandboxFinding(scene: Scene): Promise<Finding> {
  if (process.platform !== 'linux')
    return {
      state: 'note',
      detail: `not available on this platform: your commands run with your full permissions, and ${notForOthers}`,
    };
  if (scene.obstacle() !== undefined)
    return { state: 'skipped', detail: 'the state directory cannot be read' };
  if ((await scene.located())?.config.shell.sandbox === 'off')
    return {
      state: 'warn',
      detail: 'disabled by `shell.sandbox`: your commands run with your full permissions',
      more: [notForOthers],
      next: 'remove `sandbox: off` from `shell` in tidegate.yaml, then: tidegate trust',
    };
  const { findBubblewrap } = await import('../../services/shell/bubblewrap.js');
  const logged: string[] = [];
  const processes = openLateProcesses({ stateDir: scene.home, log: () => undefined });
  try {
    const program = await findBubblewrap({
      roots: await scene.roots(),
      processes,
      path: childEnvironment(scene.env, {})['PATH'] ?? '',
      log: (line) => logged.push(line),
    });
    if (program !== undefined) return { state: 'ok', detail: `${program} works` };
  } finally {
    await processes.close();
  }
  const why = logged.join(' ').replace(/Commands run without (?:a )?sandbox: /, '');
  const isThere = why.includes('does not work here');
  const next = isThere ? 'allow user namespaces for this user or container' : 'apt install bubblewrap';
  return { state: 'warn', detail: `no sandbox: ${why}`, more: [notForOthers], next };
}

const notForOthers = 'Bash is unavailable to principals other than you';

/** A broken agent fails at once; do not wait longer for a slow one. */
const startMs = 5000;

/** Folders outside the workspace that the operator made writable for commands. */
async function writableFindings(scene: Scene): Promise<readonly Finding[]> {
  const config = (await scene.located())?.config;
  if (config === undefined || config.shell.writable.length === 0) return [];
  const { findWritable } = await import('../../services/shell/index.js');
  const { inForce, refused } = findWritable({
    paths: config.shell.writable,
    whyNot: createWritableRule(writablePlaceOf(config, { home: homedir(), env: scene.env })),
    grounds: await scene.roots(),
  });
  const onPath = (scene.env['PATH'] ?? '')
    .split(delimiter)
    .filter((one) => inForce.some((path) => isInside(one, path)));
  const next = 'fix `shell.writable` in tidegate.yaml, then: tidegate trust';
  return [
    ...inForce.map((path) => ({ state: 'note' as const, detail: `writable outside the workspace: ${path}` })),
    ...onPath.map((one) => ({
      state: 'note' as const,
      detail: `${one} is on your PATH: commands can replace programs you run`,
    })),
    ...refused.map((one) => ({ state: 'warn' as const, detail: `not writable: ${one}`, next })),
  ];
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

async function agentFindings(scene: Scene): Promise<readonly Finding[]> {
  if (scene.obstacle() !== undefined)
    return [{ state: 'skipped', detail: 'the state directory cannot be read' }];
  const { reportStarts } = await import('../../workspace/agents/try-starts.js');
  const reports = await reportStarts({ ...scene, roots: await scene.roots(), limitMs: startMs });
  return reports.flatMap((report): readonly Finding[] => {
    const { verdict, others = [], trouble } = report;
    if (trouble !== undefined) return [brokenFinding(report, trouble)];
    const verdicts = verdict === undefined ? others : [verdict, ...others];
    // One line for each model the agent was tested with.
    return verdicts.length === 0
      ? [agentFinding(report, undefined)]
      : verdicts.map((one) => agentFinding(report, one));
  });
}

type Trouble = NonNullable<AgentReport['trouble']>;

/** The version comes from the package, so it does not show whether the agent works. */
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
  const next = `tidegate doctor --agent ${shellWord(name)}`;
  if (verdict === undefined) return { state: 'note', about, detail: 'isolation not tested yet', next, facts };
  if (verdict.kind === 'isolated') return { state: 'ok', about, detail: 'isolated', facts };
  if (verdict.kind === 'unprovable')
    return { state: 'warn', about, detail: `isolation could not be verified: ${verdict.why}`, next, facts };
  const detail = `leaks: ${verdict.leaks.join(', ')}`;
  return { state: 'fail', about, detail, next: `update it, then: ${next}`, facts };
}
