/** What a new tidegate.yaml begins with: small, valid as it is, and the first questions answered in comments. */
export function newConfigText(hasServers: boolean): string {
  const example = `#
# servers:
#   files:
#     command: npx
#     args: [-y, "@modelcontextprotocol/server-filesystem", .]
`;
  return `# What the gate offers to agents here. Every key: \`tidegate config schema\`.
# After a change: \`tidegate config check\`, then \`tidegate trust\`.
# yaml-language-server: $schema=node_modules/tidegate/schema/tidegate.schema.json

# Tools of the gate itself: Read, Write, Edit, Bash, Glob, Grep and more. \`!\` takes away.
builtins: ["*"]
${hasServers ? '' : `\n# MCP servers. Take over those of your agents with \`tidegate import\`, or write them here:\n${example}`}`;
}
