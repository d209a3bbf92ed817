import { existsSync } from 'node:fs';
import { join } from 'node:path';

const schema = 'node_modules/tidegate/schema/tidegate.schema.json';

/** What a new tidegate.yaml begins with: small, valid as it is, and the first questions answered in comments. */
export function newConfigText(hasServers: boolean, folder: string): string {
  // Editors would look for a schema that a command which is installed elsewhere did not bring here.
  const editors = existsSync(join(folder, schema)) ? `# yaml-language-server: $schema=${schema}\n` : '';
  const example = `#
# servers:
#   files:
#     command: npx
#     args: [-y, "@modelcontextprotocol/server-filesystem", .]
`;
  return `# What the gate offers to agents here. Every key: \`tidegate config schema\`.
# After a change: \`tidegate config check\`, then \`tidegate trust\`.
${editors}
# Tools of the gate itself: Read, Edit, Bash, Grep and more. \`!\` takes away.
builtins: ["*"]
${hasServers ? '' : `\n# MCP servers. Take over those of your agents: \`tidegate import\`. Or:\n${example}`}`;
}
