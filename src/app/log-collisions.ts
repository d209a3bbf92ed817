import type { Gateway } from '../gateway/index.js';
import type { Log } from '../ports/log.js';

/** Returns a function that logs each name dropped because another provider has it, once per name. */
export function createCollisionLog(gateway: () => Gateway, log: Log): () => void {
  let logged = new Set<string>();
  return () => {
    const lines = new Map<string, Readonly<Record<string, string>>>();
    for (const { name, first, second, looksLike } of gateway().registry.collisions())
      lines.set(`${second} ${first} ${name}`, {
        name,
        owner: first,
        dropped: second,
        ...(looksLike !== undefined && { looks_like: looksLike }),
        ...codeOf(second),
      });
    for (const [line, fields] of lines) {
      const why = 'looks_like' in fields ? 'it looks like a name of' : 'it already belongs to';
      if (!logged.has(line)) log('error', `name not available: ${why} another provider`, fields);
    }
    logged = new Set(lines.keys());
  };
}

/** AWF defines a code for this. */
function codeOf(provider: string): Readonly<Record<string, string>> {
  return provider.startsWith('plugin:') ? { code: 'USER.MCP_PROXY.NAME_COLLISION' } : {};
}
