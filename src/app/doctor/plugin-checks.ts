import { commandLine } from '../../access/desk/shell-word.js';
import { describeProblem, mayHavePlugins } from '../../config/index.js';
import type { LocatedPlugin } from '../../config/plugins/index.js';
import type { Check, Finding } from './check.js';
import type { Scene } from './scene.js';

export const pluginCheck: Check = {
  id: 'plugins',
  group: 'servers',
  title: 'Plugins',
  why: 'A plugin that is broken, changed or not trusted gives no tools and no operations.',
  remedy:
    '`tidegate plugin show <name>` says what is wrong with it, `tidegate plugin trust <name>` what it would run.',
  limitMs: 30_000,
  run: (scene) => pluginFindings(scene),
};

/** Looks at what stands there; starts none of it. */
async function pluginFindings(scene: Scene): Promise<readonly Finding[]> {
  const located = await scene.located();
  const folder = located?.folder ?? scene.cwd;
  if (!mayHavePlugins(folder, scene.env)) return [{ state: 'skipped', detail: 'there are none here' }];
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
        detail: `${place} is not used: ${by} has the same name`,
      }),
    ),
  ];
  return found.length > 0 ? found : [{ state: 'skipped', detail: 'there are none here' }];
}

function pluginFinding({ name, isEnabled, standing, problems, version }: LocatedPlugin): Finding {
  const about = name;
  if (!isEnabled) return { state: 'skipped', about, detail: 'switched off' };
  const error = problems.find(({ severity }) => severity === 'error');
  if (standing === 'broken' || error !== undefined)
    return {
      state: 'fail',
      about,
      detail: error?.message ?? 'it cannot be used as it is',
      next: commandLine('plugin', 'show', name),
    };
  const next = `look at it: ${commandLine('plugin', 'trust', name)}`;
  if (standing === 'new') return { state: 'warn', about, detail: 'not trusted, and left out', next };
  if (standing === 'changed')
    return { state: 'warn', about, detail: 'changed since it was trusted, and left out', next };
  return { state: 'ok', about, detail: `trusted${version === undefined ? '' : `, version ${version}`}` };
}
