import type { Tool } from '../commands/tools/with-tools.js';

/** A graph as a Mermaid flowchart, one line at a time. */
export function mermaidLines({ first, edges }: NonNullable<Tool['graph']>): readonly string[] {
  const arrows = Object.entries(edges).flatMap(([from, goals]) =>
    goals.map((to) => `  ${from} --> ${to === 'exit' ? 'exit([exit])' : to}`),
  );
  return ['flowchart TD', `  start([start]) --> ${first}`, ...arrows];
}
