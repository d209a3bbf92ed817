import { isLoopbackHost } from './formats.js';
import { formatPath } from '../kernel/source-place.js';
import type { Finding, Report } from './problem.js';
import type { ConfigValues } from './schema.js';
import { findEntry, type Path, type TreeNode } from '../kernel/tree.js';

/** What can be wrong between values that are each right by themselves. */
export function checkRules(values: ConfigValues, root: TreeNode, report: Report): void {
  const at = (path: Path) => ({ path, offset: findEntry(root, path)?.start ?? 0 });
  for (const name of values.mcpServers.keys()) {
    if (!values.servers.has(name)) continue;
    const message = `Both ${formatPath(['servers', name])} and ${formatPath(['mcpServers', name])} have this name.`;
    report({ code: 'config.collision', ...at(['mcpServers', name]), message });
  }
  for (const [name, { type, command, url }] of values.mcpServers) {
    const wanted = type === 'stdio' ? 'command' : 'url';
    const other = type === 'stdio' ? url : command;
    if (type === undefined || other === undefined) continue;
    const message = `A server of the type ${type} needs a ${wanted}.`;
    report({
      code: 'config.exclusive',
      ...at(['mcpServers', name, 'type']),
      message,
      remedy: 'Correct the type.',
    });
  }
  checkStore(values.store, root, report);
  checkSurface(values, root, report);
  if (values.http.auth === 'none' && !isLoopbackHost(values.http.host)) {
    const message = 'Without a token, everybody who can reach this host would act as the operator.';
    report({ code: 'config.auth_none_not_loopback', ...at(['http', 'auth']), message });
  }
}

function checkSurface({ surface, tools }: ConfigValues, root: TreeNode, report: Report): void {
  const warn = (path: Path, message: string, remedy: string): void => {
    const offset = findEntry(root, path)?.start ?? 0;
    report({ code: 'config.bad_value', severity: 'warning', path, offset, message, remedy });
  };
  for (const section of ['surface', 'tools'] as const) {
    const own = section === 'surface' ? surface.max_active_schemas : tools.max_active_schemas;
    if (own === 0)
      warn(
        [section, 'max_active_schemas'],
        'With no room for any tool that is found, nothing is deferred.',
        'Write `surface.lazy: off` to say so, or a number from 1.',
      );
  }
  const isTwice = tools.lazy_mcp !== undefined && findEntry(root, ['surface', 'lazy']) !== undefined;
  if (isTwice)
    warn(['tools', 'lazy_mcp'], 'It wins over `surface.lazy`, which says the same.', 'Keep one of them.');
}

function checkStore({ kind, file, url }: ConfigValues['store'], root: TreeNode, report: Report): void {
  const at = (key: string) => {
    const entry = findEntry(root, ['store', key]) ?? findEntry(root, ['store']);
    return { path: ['store', key], offset: entry?.start ?? 0 };
  };
  if (kind === 'postgres' && url === undefined && findEntry(root, ['store', 'url']) === undefined)
    report({ code: 'config.missing', ...at('url'), message: 'A store of the kind postgres needs a url.' });
  const misplaced = {
    file: kind !== 'sqlite' && file !== undefined,
    url: kind !== 'postgres' && url !== undefined,
  };
  for (const [key, isMisplaced] of Object.entries(misplaced)) {
    if (!isMisplaced) continue;
    const message = `A store of the kind ${kind} has no ${key}.`;
    const remedy = 'Remove it, or correct the kind.';
    report({ code: 'config.exclusive', ...at(key), message, remedy });
  }
}

/** Problems that do no harm where they stand become warnings; all others stay what they are. */
export function softened(finding: Finding, values: ConfigValues, isJson: boolean): Finding {
  const { code, path = [] } = finding;
  const isForeignKey = isJson && code === 'config.unknown_key' && path.length === 1;
  const isUnused =
    (code === 'config.env_missing' || code === 'config.unsupported') && isSwitchedOff(path, values);
  return isForeignKey || isUnused ? { ...finding, severity: 'warning' } : finding;
}

function isSwitchedOff([section, name]: Path, values: ConfigValues): boolean {
  if (section === 'servers') return values.servers.get(String(name))?.enabled === false;
  return section === 'mcpServers' && values.mcpServers.get(String(name))?.disabled === true;
}
