import type { NativeTool } from './launch.js';

/** A CLI's own tool. Without `input` it is called with no arguments and leaves no trace except an answer. */
export function native(name: string, input: NativeTool['input'] = () => ({})): NativeTool {
  return { name, input };
}

export function inNamespace(namespace: string, names: string): readonly NativeTool[] {
  return names.split(' ').map((name) => ({ name, namespace, input: () => ({}) }));
}
