// Started by the suite with the URL of a scenario's server: puts the gate in front of it and drives the gate with the
// official client. CONFORMANCE_PROTOCOL is the gate's setting for the upstream, CONFORMANCE_CLIENT the client's era,
// CONFORMANCE_GATE=off leaves the gate out, which shows that a scenario can be passed at all.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { acceptWithDefaults, DRIVES, officialRequests, rawRequests } from './drives.mjs';
import { environment, mcpCommand, writeConfig } from './gate.mjs';
import { driveLogin, loginSettings } from './logins.mjs';

const url = process.argv.at(-1);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const { CONFORMANCE_PROTOCOL: protocol, CONFORMANCE_CLIENT: era, CONFORMANCE_GATE: gate } = process.env;

const given = JSON.parse(context);
const drive = scenario.startsWith('auth/') ? driveLogin : DRIVES[scenario];
if (drive === undefined) throw new Error(`no drive for the scenario ${scenario}`);

const directory = mkdtempSync(join(tmpdir(), 'tidegate-client-'));
try {
  const client = createClient();
  await client.connect(await transportTo(url));
  try {
    const wire = gate === 'off' ? officialRequests(client) : rawRequests(client);
    await drive(wire, given);
  } finally {
    await client.close();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function createClient() {
  const versionNegotiation = { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' };
  const capabilities = { elicitation: { form: {} } };
  const client = new Client(
    { name: 'conformance-driver', version: '1.0.0' },
    { capabilities, versionNegotiation },
  );
  client.setRequestHandler('elicitation/create', acceptWithDefaults);
  return client;
}

async function transportTo(upstream) {
  if (gate === 'off') return new StreamableHTTPClientTransport(new URL(upstream));
  const config = await writeConfig(directory, {
    servers: { upstream: { url: upstream, prefix: '', protocol, ...loginSettings(scenario, given) } },
  });
  return new StdioClientTransport({ ...mcpCommand(config), cwd: directory, env: environment(directory) });
}
