import { createHash } from 'node:crypto';
import type { TreeNode } from '../../kernel/tree.js';
import type { PluginStart } from './program.js';

/**
 * Of one entry of `plugins.yaml`: what it says, and what that starts here. What it says is taken as it is written, so that
 * a new value of a secret that it refers to is no other entry; what it starts is taken as it was shown.
 */
export function digestOfEntry(said: TreeNode | undefined, start: PluginStart | undefined): string {
  const shown = start?.kind === 'url' ? [start.url] : [start?.command, start?.args, start?.cwd];
  const text = JSON.stringify([plainOf(said), shown]);
  return createHash('sha256').update(text).digest('hex');
}

/** The same for any order of keys and any way of writing. */
function plainOf(node: TreeNode | undefined): unknown {
  switch (node?.kind) {
    case undefined:
      return null;
    case 'scalar':
      return ['scalar', typeof node.value, node.source];
    case 'list':
      return ['list', ...node.items.map(plainOf)];
    case 'map':
      return [
        'map',
        ...node.entries
          .map(({ key, value }) => [key, plainOf(value)] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ];
  }
}
