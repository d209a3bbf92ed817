import type { NativeTool } from './launch.js';

/** A tool of a CLI's own. Without an input it is called with nothing, which leaves no trace but an answer. */
export function native(name: string, input: NativeTool['input'] = () => ({})): NativeTool {
  return { name, input };
}

export function inNamespace(namespace: string, names: string): readonly NativeTool[] {
  return names.split(' ').map((name) => ({ name, namespace, input: () => ({}) }));
}
