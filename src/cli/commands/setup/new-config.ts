import { existsSync } from 'node:fs';
import { join } from 'node:path';

const schema = 'node_modules/tidegate/schema/tidegate.schema.json';

/** The start of a new tidegate.yaml: small, valid, and with comments for the first questions. */
export function newConfigText(hasServers: boolean, folder: string): string {
  // The schema is only in node_modules if Tidegate is installed in this folder.
  const editors = existsSync(join(folder, schema)) ? `# yaml-language-server: $schema=${schema}\n` : '';
  const example = `#
# servers:
#   files:
#     command: npx
#     args: [-y, "@modelcontextprotocol/server-filesystem", .]
`;
  return `# The tools that Tidegate offers to agents here. For all keys, run \`tidegate config schema\`.
# After a change, run \`tidegate config check\`, then \`tidegate trust\`.
${editors}
# Built-in tools: Read, Edit, Bash, Grep and more. \`!\` excludes a tool.
builtins: ["*"]
${hasServers ? '' : `\n# MCP servers. Import those of your agents with \`tidegate import\`, or add your own:\n${example}`}`;
}
