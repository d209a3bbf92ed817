// What a client does in the scenarios about logins: it asks the gate for the link, goes where a browser would go, and
// calls once more.

import { setTimeout as pause } from 'node:timers/promises';

const LOGIN_TOOL = 'upstream_login';
const MOST_LOGINS = 4;
const MOST_HOPS = 5;
const LIST_MS = 10_000;

/** What the operator would write under `login` for a scenario. */
export function loginSettings(scenario, { client_id, client_secret, issuer }) {
  if (scenario === 'auth/basic-cimd')
    return { login: { client_document: 'https://conformance-test.local/client-metadata.json' } };
  if (client_id === undefined) return {};
  return { login: { client_id, client_secret, issuer } };
}

/** Lists and calls through the gate, and logs in whenever the gate says that somebody must. */
export async function driveLogin(wire) {
  const tools = await listed(wire);
  for (const name of tools) await callTool(wire, name);
}

/** The tools, once they are there; the server may want more than one login before it shows them. */
async function listed(wire) {
  const end = Date.now() + LIST_MS;
  let followed;
  while (Date.now() < end) {
    const names = await listNames(wire);
    if (!names.includes(LOGIN_TOOL)) return names;
    const answer = await askForLink(wire);
    if (answer === undefined) continue;
    if (answer.isError === true) throw new Error(`there is no link: ${JSON.stringify(answer)}`);
    const link = linkIn(answer);
    if (link === undefined || link === followed) await pause(50);
    else await follow((followed = link));
  }
  throw new Error('the tools did not come after the login');
}

/** Nothing, when the tools of the server took the place of ours since they were listed. */
async function askForLink(wire) {
  try {
    return await wire.request('tools/call', { name: LOGIN_TOOL, arguments: {} });
  } catch (error) {
    if (error.message.includes('Unknown tool')) return undefined;
    throw error;
  }
}

const listNames = async (wire) => (await wire.request('tools/list')).tools.map(({ name }) => name);

async function callTool(wire, name) {
  for (let logins = 0; logins <= MOST_LOGINS; logins += 1) {
    const answer = await wire.request('tools/call', { name, arguments: {} });
    if (answer.isError !== true) return;
    const text = JSON.stringify(answer);
    if (!text.includes('provider.login')) throw new Error(`the call failed: ${text}`);
    const link = linkIn(answer);
    if (link === undefined) throw new Error(`there is no link: ${text}`);
    await follow(link);
  }
  throw new Error('the server never had enough');
}

function linkIn(answer) {
  const text = answer.content.map((block) => block.text ?? '').join('\n');
  return /https?:\/\/[^\s"<>]+/.exec(text)?.[0];
}

/** Goes where a browser would go; the authorization server of the suite asks nobody. */
async function follow(link) {
  let at = link;
  for (let hop = 0; hop < MOST_HOPS; hop += 1) {
    const response = await fetch(at, { redirect: 'manual' });
    const body = await response.text();
    const next = response.headers.get('location');
    if (next === null) {
      if (!response.ok) throw new Error(`the login ended with ${response.status}: ${body}`);
      return;
    }
    at = new URL(next, at).href;
  }
  throw new Error('the login goes in circles');
}
