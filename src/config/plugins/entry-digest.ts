import { sha256Of } from '../../lib/sha256.js';
import type { TreeNode } from '../../lib/tree.js';
import type { PluginStart } from './program.js';

/**
 * Hashes one entry of `plugins.yaml`: its text and what it starts. The text is hashed with references unresolved, so that a
 * new value of a secret does not change the hash. What it starts is hashed as it was shown for review.
 */
export function digestOfEntry(said: TreeNode | undefined, start: PluginStart | undefined): string {
  const shown = start?.kind === 'url' ? [start.url] : [start?.command, start?.args, start?.cwd];
  const text = JSON.stringify([plainOf(said), shown]);
  return sha256Of(text);
}

/** Independent of key order and YAML style. */
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
