import { matchesPattern, type Source, type ToolSpec } from '../../core/index.js';
import { groupOfGlob, providerObject, toolObject } from '../object-ids.js';
import { type EntryTarget, parseTarget, targetObject } from '../profiles/index.js';
import { AdminError } from './admin-error.js';
import { type AdminCatalog, type AdminParts, lookUp, everyToolOf } from './parts.js';
import { quoted } from './receiver.js';

/** The target of a grant: a tool or a set of tools. */
export interface Target {
  readonly text: string;
  readonly object: string;
  /** Equivalent objects that older tuples may contain. */
  readonly aliases: readonly string[];
  /** The tools it matches now. */
  readonly tools: readonly ToolSpec[];
  /** True for a single tool, false for a set. */
  readonly isTool: boolean;
}

type Known = Pick<AdminParts, 'isBuiltin'>;

/** Parses a tool name or set. A display name refers to the tool that has it now, even if another takes the name later. */
export function readTarget(text: string, catalogue: AdminCatalog, { isBuiltin }: Known): Target {
  const tools = everyToolOf(catalogue);
  const named = tools.find(({ name }) => name === text);
  if (named !== undefined) {
    return { text, object: toolObject(named), aliases: [groupOfGlob(text)], tools: [named], isTool: true };
  }
  const target = parseTarget(text, isBuiltin);
  if (target.kind === 'flaw') throw new AdminError('access.bad_target', `${quoted(text)} ${target.says}.`);
  const object = targetObject(target);
  const found = toolsFor(target, tools);
  const aliases = target.kind === 'tool' ? found.map(({ name }) => groupOfGlob(name)) : [];
  return { text, object, aliases, tools: found, isTool: target.kind === 'tool' };
}

export function findTarget(
  parts: AdminParts,
  text: string,
): Promise<{ readonly found: Target; readonly catalogue: AdminCatalog }> {
  return lookUp(parts, (catalogue) => readTarget(text, catalogue, parts), fitsAnything);
}

/** The tools that an entry or set matches. */
export function toolsFor(target: EntryTarget, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const object = targetObject(target);
  return tools.filter((tool) => {
    if (target.kind === 'tool') return toolObject(tool) === object;
    if (target.kind === 'provider') return tool.source === target.source;
    return target.kind === 'tier' ? tool.tier === target.tier : matchesPattern(target.pattern, tool.name);
  });
}

/** Whether it matches anything, including a provider with only prompts and resources. */
export function fitsAnything({ tools, object }: Target, { specs }: AdminCatalog): boolean {
  return tools.length > 0 || specs.some(({ source }) => providerObject(source) === object);
}

/** A name that matches nothing is usually a typo. */
export function unknownTarget(
  text: string,
  catalogue: AdminCatalog,
  parts: Pick<AdminParts, 'nearest'>,
): AdminError {
  return new AdminError('access.unknown_tool', unknownWords(text, catalogue, parts));
}

/** The message for a name without a match: the nearest name, and the servers that were not asked. */
export function unknownWords(
  text: string,
  catalogue: AdminCatalog,
  { nearest }: Pick<AdminParts, 'nearest'>,
): string {
  const near = nearest(text, namesIn(catalogue));
  const unlisted = catalogue.unlisted.length === 0 ? '' : ` ${notListed(catalogue.unlisted)}`;
  const hint = near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
  const kind = /^(prompt|resource):/.exec(text)?.[1] ?? 'tool';
  return `No ${kind} matches ${quoted(text)}.${hint}${unlisted}`;
}

export function notListed(sources: readonly Source[]): string {
  const names = sources.slice(0, 5).join(', ');
  return `The tools of these servers are not known yet: ${names}${sources.length > 5 ? ', …' : ''}. Run \`tidegate tools list\` to load them.`;
}

/** All known names, for suggestions. */
export function namesIn({ specs }: AdminCatalog): readonly string[] {
  const names = specs.flatMap((spec) =>
    spec.kind === 'tool' ? [spec.name, `${spec.source}/${spec.localName}`, spec.source] : [spec.source],
  );
  return [...new Set(names)];
}
