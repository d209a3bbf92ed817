import { JsonText } from '../../lib/json-text.js';
import type { Source, Spec, ToolSpec } from '../../core/index.js';
import { toolObject } from '../object-ids.js';
import { parseTarget } from '../profiles/index.js';
import { AdminError } from './admin-error.js';
import { type AdminCatalog, type AdminParts, everyToolOf } from './parts.js';
import { quoted } from './receiver.js';

/** The subject of a question: a tool, prompt or resource, or all prompts and resources of a provider. */
export interface Subject {
  readonly text: string;
  /** Its name for commands. */
  readonly name: string;
  /** Undefined if the name is unknown. */
  readonly spec: Spec | undefined;
}

/**
 * Parses `Read`, `server:github/create_issue`, `prompt:github_review`, `resource:file:///notes`; or `server:github` for
 * the prompts and resources of that server.
 */
export function readSubject(
  text: string,
  catalogue: AdminCatalog,
  parts: Pick<AdminParts, 'isBuiltin'>,
): Subject {
  const tools = everyToolOf(catalogue);
  const named = tools.find(({ name }) => name === text) ?? otherSpec(text, catalogue);
  if (named !== undefined || /^(prompt|resource):/.test(text)) return { text, name: text, spec: named };
  if (text === 'builtin' || text === 'workspace') return { text, name: text, spec: contentsOf(text) };
  const target = parseTarget(text, parts.isBuiltin);
  if (target.kind === 'flaw') throw new AdminError('access.bad_target', `${quoted(text)} ${target.says}.`);
  if (target.kind === 'provider') return { text, name: text, spec: providerIn(target.source, catalogue) };
  if (target.kind === 'tool') return { text, name: text, spec: toolOf(target, tools) };
  if (target.kind === 'tier' || /[*?]/.test(text)) {
    const message = `${quoted(text)} matches several tools. Ask about one of them.`;
    throw new AdminError('access.bad_target', message, 'tidegate tools list');
  }
  return { text, name: text, spec: undefined };
}

function otherSpec(text: string, { specs }: AdminCatalog): Spec | undefined {
  const [, kind, name] = /^(prompt|resource):(.*)$/s.exec(text) ?? [];
  if (kind === undefined) return undefined;
  return specs.find((spec) => {
    if (spec.kind === 'prompt') return kind === 'prompt' && spec.name === name;
    if (spec.kind === 'resource') return kind === 'resource' && spec.uri === name;
    return spec.kind === 'template' && kind === 'resource' && spec.uriTemplate === name;
  });
}

function toolOf(
  target: { readonly source: Source; readonly localName: string },
  tools: readonly ToolSpec[],
): ToolSpec | undefined {
  const object = toolObject(target);
  return tools.find((tool) => toolObject(tool) === object);
}

function providerIn(source: Source, { specs, unlisted }: AdminCatalog): Spec | undefined {
  const isKnown = specs.some((spec) => spec.source === source) || unlisted.includes(source);
  return isKnown ? contentsOf(source) : undefined;
}

/** Prompts and resources share the rights of their provider, so one represents all. */
function contentsOf(source: Source): Spec {
  return { kind: 'resource', uri: '', source, definition: JsonText.from({}) };
}
