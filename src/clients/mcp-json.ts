import { readClaudeServer, stdioEntry } from './claude-code.js';
import type { Client } from './client.js';
import { jsonDocument } from './json-document.js';
import { projectFiles } from './paths.js';

/** A project's `.mcp.json`, used by Claude Code and others. */
export const mcpJson: Client = {
  name: 'mcp-json',
  title: '.mcp.json',
  belongsTo: 'claude',
  format: jsonDocument,
  files: (place) => projectFiles(place, '.mcp.json'),
  sections: (_, { folder }) => [{ path: ['mcpServers'], ...(folder !== undefined && { folder }) }],
  read: readClaudeServer,
  tidegateEntry: stdioEntry,
};
