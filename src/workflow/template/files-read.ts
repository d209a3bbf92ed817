import { parseTemplate } from './parse.js';
import type { Nodes, Operand, Pipeline } from './template.js';

/** Files that a text reads with `readFile`. Undefined: the name is known only at run time. */
export function filesRead(text: string): readonly (string | undefined)[] {
  if (!text.includes('readFile') || !text.includes('{{')) return [];
  return inNodes(parseTemplate(text).nodes);
}

type Files = readonly (string | undefined)[];

function inNodes(nodes: Nodes): Files {
  return nodes.flatMap((node) => {
    if (node.kind === 'text') return [];
    if (node.kind === 'show') return inPipeline(node.pipeline);
    return [...inPipeline(node.pipeline), ...inNodes(node.then), ...inNodes(node.otherwise)];
  });
}

function inPipeline({ commands }: Pipeline): Files {
  return commands.flatMap((command, at) => [
    ...command.flatMap((operand) => (operand.kind === 'pipeline' ? inPipeline(operand.pipeline) : [])),
    ...command.flatMap((operand, place) =>
      operand.kind === 'function' && operand.name === 'readFile'
        ? [constantOf(place === 0 ? [...command.slice(1), ...(commands[at - 1] ?? [])] : [])]
        : [],
    ),
  ]);
}

/** For `readFile "a"` or `"a" | readFile`: the first argument, or else the piped value if it is constant. */
function constantOf([first, ...more]: readonly Operand[]): string | undefined {
  return first?.kind === 'value' && typeof first.value === 'string' && more.length === 0
    ? first.value
    : undefined;
}
