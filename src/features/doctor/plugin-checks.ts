import { commandLine } from '../../lib/shell-word.js';
import { describeProblem, mayHavePlugins } from '../../config/index.js';
import type { LocatedPlugin } from '../../config/plugins/index.js';
import type { Check, Finding } from './check.js';
import type { Scene } from './scene.js';

export const pluginCheck: Check = {
  id: 'plugins',
  group: 'servers',
  title: 'Plugins',
  why: 'A plugin that is broken, changed or untrusted is not loaded: its tools and operations are missing.',
  remedy:
    'Run `tidegate plugin show <name>` to see the problem, or `tidegate plugin trust <name>` to review what it would run.',
  limitMs: 30_000,
  run: (scene) => pluginFindings(scene),
};

/** Reads plugins without starting them. */
async function pluginFindings(scene: Scene): Promise<readonly Finding[]> {
  const located = await scene.located();
  const folder = located?.folder ?? scene.cwd;
  if (!mayHavePlugins(folder, scene.env)) return [{ state: 'skipped', detail: 'none found' }];
  if (scene.obstacle() !== undefined)
    return [{ state: 'skipped', detail: 'the state directory cannot be read' }];
  const { locatePlugins, openPluginSwitches } = await import('../../config/plugins/index.js');
  const { plugins, problems, shadowed } = await locatePlugins({
    workspace: folder,
    environment: scene.env,
    version: scene.version,
    trust: scene.trust,
    switches: openPluginSwitches(scene.home),
    hashes: 'trusted',
  });
  const found = [
    ...plugins.map(pluginFinding),
    ...problems.map(
      (problem): Finding => ({
        state: problem.severity === 'error' ? 'fail' : 'warn',
        detail: describeProblem(problem),
        next: 'tidegate plugin list',
      }),
    ),
    ...shadowed.map(
      ({ name, place, by }): Finding => ({
        state: 'warn',
        about: name,
        detail: `${place} is ignored: ${by} has the same name`,
      }),
    ),
  ];
  return found.length > 0 ? found : [{ state: 'skipped', detail: 'none found' }];
}

function pluginFinding({ name, isEnabled, standing, problems, version }: LocatedPlugin): Finding {
  const about = name;
  if (!isEnabled) return { state: 'skipped', about, detail: 'disabled' };
  const error = problems.find(({ severity }) => severity === 'error');
  if (standing === 'broken' || error !== undefined)
    return {
      state: 'fail',
      about,
      detail: error?.message ?? 'the plugin cannot be used',
      next: commandLine('plugin', 'show', name),
    };
  const next = `review it: ${commandLine('plugin', 'trust', name)}`;
  if (standing === 'new') return { state: 'warn', about, detail: 'not trusted, so not loaded', next };
  if (standing === 'changed')
    return { state: 'warn', about, detail: 'changed since it was trusted, so not loaded', next };
  return { state: 'ok', about, detail: `trusted${version === undefined ? '' : `, version ${version}`}` };
}
