// docs/reference/errors.md: every error code of Tidegate, from the tables that define them.
import { loadTs } from '../load-ts.mjs';

export async function outputs() {
  const { faultTable, faultCodes } = await loadTs('src/core/fault.ts');
  const { mcpFaults } = await loadTs('src/transports/faults.ts');
  const { problemCodes } = await loadTs('src/config/codes.ts');
  const { exitOfFault } = await loadTs('src/cli/exit-codes.ts');
  const { commandCodes } = await loadTs('src/cli/command-codes.ts');
  const { exitOfAdmin, exitOfIdentity } = await loadTs('src/cli/exit-codes.ts');
  const { identityCodes } = await loadTs('src/access/tokens/identity-error.ts');
  const { adminCodes } = await loadTs('src/access/admin/admin-error.ts');
  const { modelCodes } = await loadTs('src/access/model-codes.ts');
  const { httpCodes } = await loadTs('src/transports/http/http-codes.ts');
  const { statusOfAdmin } = await loadTs('src/workspace/admin-refusal.ts');
  const faults = faultCodes.map((code) =>
    faultRow(code, faultTable[code], mcpFaults[code], exitOfFault[code]),
  );
  const problems = Object.entries(problemCodes).map(([code, { meaning, remedy }]) => [
    mono(code),
    meaning,
    remedy,
  ]);
  const commands = Object.entries(commandCodes).map(([code, { meaning, remedy, exit }]) => [
    mono(code),
    meaning,
    remedy,
    exit,
  ]);
  const tokens = Object.entries(identityCodes).map(([code, { meaning, remedy }]) => [
    mono(code),
    meaning,
    remedy,
    exitOfIdentity[code],
  ]);
  const rights = Object.entries(adminCodes).map(([code, { meaning, remedy }]) => [
    mono(code),
    meaning,
    remedy,
    statusOfAdmin[code],
    exitOfAdmin[code],
  ]);
  const model = Object.entries(modelCodes).map(([code, { meaning, remedy }]) => [
    mono(code),
    meaning,
    remedy,
  ]);
  const http = Object.entries(httpCodes).map(([code, { status, meaning, remedy }]) => [
    mono(code),
    meaning,
    remedy,
    status,
  ]);
  const text = page({ faults, problems, rights, model, tokens, http, commands });
  return [{ path: 'docs/reference/errors.md', text }];
}

function page({ faults, problems, rights, model, tokens, http, commands }) {
  return [
    '<!-- Generated from the tables in src by `npm run generate`. Do not edit. -->',
    '# Errors',
    '',
    'Codes never change once released. `tidegate explain <code>` prints the same information. For workflow codes, see',
    'workflow.md. Messages to agents say what to do next; details are only in the log.',
    '',
    '## Calls',
    '',
    'Errors of a call, over any transport. "result" in the MCP column means that',
    'the model gets the error as a tool result (`isError: true`) and can act on it; for prompts, resources',
    'and completions, it is the protocol error after "else". Legacy clients get the code in brackets, if there is one.',
    '',
    ...table(['code', 'who can fix it', 'retryable', 'meaning', 'remedy', 'MCP', 'exit status'], faults),
    '',
    '## Configuration, trust and state',
    '',
    'Reported by `tidegate config check` and at startup, each with file, line and column. Exit status 2 for `config.*`,',
    '6 for the others.',
    '',
    ...table(['code', 'meaning', 'remedy'], problems),
    '',
    '## Rights',
    '',
    'Errors of the admin service: `profile`, `grant`, `revoke`, `check`, `explain`, `access`, `audit`, and the',
    'same operations over the admin API. An operation that fails changes nothing.',
    '',
    ...table(['code', 'meaning', 'remedy', 'HTTP', 'exit status'], rights),
    '',
    '## The authorization model',
    '',
    'The codes that `access.bad_model` shows in brackets.',
    '',
    ...table(['code', 'meaning', 'remedy'], model),
    '',
    '## Tokens',
    '',
    ...table(['code', 'meaning', 'remedy', 'exit status'], tokens),
    '',
    '## HTTP',
    '',
    'Errors of `tidegate serve` before a call starts, in `error.code` of the response body; with `tidegate mcp --via`,',
    'in `error.data.code`.',
    '',
    ...table(['code', 'meaning', 'remedy', 'HTTP'], http),
    '',
    '## Commands',
    '',
    ...table(['code', 'meaning', 'remedy', 'exit status'], commands),
    '',
  ].join('\n');
}

function faultRow(code, { fixer, retryable, meaning, remedy, isReserved = false }, face, exit) {
  const about = isReserved ? `${meaning} Reserved: this version never returns it.` : meaning;
  return [mono(code), fixer, retryable ? 'yes' : 'no', about, remedy, faceText(face), exit];
}

function faceText({ as, code, legacyCode, httpStatus }) {
  const legacy = legacyCode === undefined ? '' : ` (${legacyCode})`;
  const status = httpStatus === undefined ? '' : `, HTTP ${httpStatus}`;
  return `${as === 'result' ? 'result, else ' : ''}error ${code}${legacy}${status}`;
}

function table(head, rows) {
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)];
}

function line(cells) {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

function mono(text) {
  return `\`${text}\``;
}
