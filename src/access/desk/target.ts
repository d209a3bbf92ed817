import { matchesPattern, type Source, type ToolSpec } from '../../kernel/index.js';
import { groupOfGlob, providerObject, toolObject } from '../object-ids.js';
import { type EntryTarget, parseTarget, targetObject } from '../profiles/index.js';
import { DeskError } from './desk-error.js';
import { type DeskCatalogue, type DeskParts, lookUp, everyToolOf } from './parts.js';
import { quoted } from './receiver.js';

/** What is granted or taken: a tool, a set of tools. */
export interface Target {
  readonly text: string;
  readonly object: string;
  /** Other objects that mean the same, as they may stand in tuples of before. */
  readonly aliases: readonly string[];
  /** The tools that it stands for now. */
  readonly tools: readonly ToolSpec[];
  /** Whether it names one tool by its provider's name, and not a set. */
  readonly isTool: boolean;
}

type Known = Pick<DeskParts, 'isBuiltin'>;

/** Reads what people name tools by. A name that agents see stands for the tool that has it now, whoever takes it later. */
export function readTarget(text: string, catalogue: DeskCatalogue, { isBuiltin }: Known): Target {
  const tools = everyToolOf(catalogue);
  const named = tools.find(({ name }) => name === text);
  if (named !== undefined) {
    return { text, object: toolObject(named), aliases: [groupOfGlob(text)], tools: [named], isTool: true };
  }
  const target = parseTarget(text, isBuiltin);
  if (target.kind === 'flaw') throw new DeskError('access.bad_target', `${quoted(text)} ${target.says}.`);
  const object = targetObject(target);
  const found = toolsFor(target, tools);
  const aliases = target.kind === 'tool' ? found.map(({ name }) => groupOfGlob(name)) : [];
  return { text, object, aliases, tools: found, isTool: target.kind === 'tool' };
}

export function findTarget(
  parts: DeskParts,
  text: string,
): Promise<{ readonly found: Target; readonly catalogue: DeskCatalogue }> {
  return lookUp(parts, (catalogue) => readTarget(text, catalogue, parts), fitsAnything);
}

/** The tools that an entry of a profile, or the name of a set, means. */
export function toolsFor(target: EntryTarget, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const object = targetObject(target);
  return tools.filter((tool) => {
    if (target.kind === 'tool') return toolObject(tool) === object;
    if (target.kind === 'provider') return tool.source === target.source;
    return target.kind === 'tier' ? tool.tier === target.tier : matchesPattern(target.pattern, tool.name);
  });
}

/** Whether anything that is there fits: also a provider that offers prompts and resources only. */
export function fitsAnything({ tools, object }: Target, { specs }: DeskCatalogue): boolean {
  return tools.length > 0 || specs.some(({ source }) => providerObject(source) === object);
}

/** A name that fits nothing is a mistake more often than not. */
export function unknownTarget(
  text: string,
  catalogue: DeskCatalogue,
  parts: Pick<DeskParts, 'nearest'>,
): DeskError {
  return new DeskError('access.unknown_tool', unknownWords(text, catalogue, parts));
}

/** That nothing fits a name, with the nearest that there is, and who was not asked. */
export function unknownWords(
  text: string,
  catalogue: DeskCatalogue,
  { nearest }: Pick<DeskParts, 'nearest'>,
): string {
  const near = nearest(text, namesIn(catalogue));
  const unlisted = catalogue.unlisted.length === 0 ? '' : ` ${notListed(catalogue.unlisted)}`;
  const hint = near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
  const kind = /^(prompt|resource):/.exec(text)?.[1] ?? 'tool';
  return `No ${kind} fits ${quoted(text)}.${hint}${unlisted}`;
}

export function notListed(sources: readonly Source[]): string {
  const names = sources.slice(0, 5).join(', ');
  return `Not known yet is what these offer: ${names}${sources.length > 5 ? ', …' : ''}; \`tidegate tools list\` asks them.`;
}

/** Every word that could have been meant. */
export function namesIn({ specs }: DeskCatalogue): readonly string[] {
  const names = specs.flatMap((spec) =>
    spec.kind === 'tool' ? [spec.name, `${spec.source}/${spec.localName}`, spec.source] : [spec.source],
  );
  return [...new Set(names)];
}
