import { isLoopbackHost } from './formats.js';
import { formatPath } from '../lib/source-place.js';
import type { Finding, Report } from './problem.js';
import type { ConfigValues } from './schema.js';
import { findEntry, type Path, type TreeNode } from '../lib/tree.js';

/** Checks rules that involve more than one value. */
export function checkRules(values: ConfigValues, root: TreeNode, report: Report): void {
  const at = (path: Path) => ({ path, offset: findEntry(root, path)?.start ?? 0 });
  for (const name of values.mcpServers.keys()) {
    if (!values.servers.has(name)) continue;
    const message = `${formatPath(['servers', name])} and ${formatPath(['mcpServers', name])} define the same server.`;
    report({ code: 'config.collision', ...at(['mcpServers', name]), message });
  }
  for (const [name, { type, command, url }] of values.mcpServers) {
    const wanted = type === 'stdio' ? 'command' : 'url';
    const other = type === 'stdio' ? url : command;
    if (type === undefined || other === undefined) continue;
    const message = `A server with type ${type} needs a ${wanted}.`;
    report({
      code: 'config.exclusive',
      ...at(['mcpServers', name, 'type']),
      message,
      remedy: 'Correct the type.',
    });
  }
  checkPrefixes(values, root, report);
  checkStore(values.store, root, report);
  checkContext(values, root, report);
  if (values.http.auth === 'none' && !isLoopbackHost(values.http.host)) {
    const message = 'Without a token, everyone who can reach this host would act as the operator.';
    report({ code: 'config.auth_none_not_loopback', ...at(['http', 'auth']), message });
  }
}

/** If the prefix of one server starts with that of another, their tool names can collide. */
function checkPrefixes({ servers, mcpServers }: ConfigValues, root: TreeNode, report: Report): void {
  const enabled = [
    ...[...servers].flatMap(([name, { prefix, enabled: isOn }]) =>
      isOn ? [{ name, prefix: prefix ?? `${name}_`, path: ['servers', name] }] : [],
    ),
    ...[...mcpServers].flatMap(([name, { disabled }]) =>
      disabled || servers.has(name) ? [] : [{ name, prefix: `${name}_`, path: ['mcpServers', name] }],
    ),
  ];
  const byPrefix = enabled.toSorted((a, b) => a.prefix.length - b.prefix.length);
  for (const [at, longer] of byPrefix.entries()) {
    const other = byPrefix.slice(0, at).find(({ prefix }) => longer.prefix.startsWith(prefix));
    if (other === undefined) continue;
    report({
      code: 'config.overlapping_prefixes',
      severity: 'warning',
      path: longer.path,
      offset: findEntry(root, longer.path)?.start ?? 0,
      message: `Tools of ${other.name} can have names that start with "${longer.prefix}", the prefix of ${longer.name}.`,
    });
  }
}

function checkContext({ context, tools }: ConfigValues, root: TreeNode, report: Report): void {
  const warn = (path: Path, message: string, remedy: string): void => {
    const offset = findEntry(root, path)?.start ?? 0;
    report({ code: 'config.bad_value', severity: 'warning', path, offset, message, remedy });
  };
  for (const section of ['context', 'tools'] as const) {
    const own = section === 'context' ? context.max_active_schemas : tools.max_active_schemas;
    if (own === 0)
      warn(
        [section, 'max_active_schemas'],
        '`max_active_schemas: 0` turns lazy tools off.',
        'Use `context.lazy: off` to make this explicit, or a number of at least 1.',
      );
  }
  const isTwice = tools.lazy_mcp !== undefined && findEntry(root, ['context', 'lazy']) !== undefined;
  if (isTwice)
    warn(
      ['tools', 'lazy_mcp'],
      'This key overrides `context.lazy`, which is also set.',
      'Remove one of them.',
    );
}

function checkStore({ kind, file, url }: ConfigValues['store'], root: TreeNode, report: Report): void {
  const at = (key: string) => {
    const entry = findEntry(root, ['store', key]) ?? findEntry(root, ['store']);
    return { path: ['store', key], offset: entry?.start ?? 0 };
  };
  if (kind === 'postgres' && url === undefined && findEntry(root, ['store', 'url']) === undefined)
    report({ code: 'config.missing', ...at('url'), message: 'A postgres store needs a url.' });
  const misplaced = {
    file: kind !== 'sqlite' && file !== undefined,
    url: kind !== 'postgres' && url !== undefined,
  };
  for (const [key, isMisplaced] of Object.entries(misplaced)) {
    if (!isMisplaced) continue;
    const message = `A ${kind} store does not use ${key}.`;
    const remedy = 'Remove it, or change the kind.';
    report({ code: 'config.exclusive', ...at(key), message, remedy });
  }
}

/** Turns problems that do no harm in their place into warnings. */
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
