// docs/reference/errors.md: every code that Tidegate can answer with, from the tables that define them.
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
    'Codes never change once released; `tidegate explain <code>` tells the same at the terminal. Codes of workflows stand in',
    'workflow.md. What an agent reads says what to do next; details are only in the log.',
    '',
    '## Calls',
    '',
    'What can go wrong with a call, over any transport. "result" under MCP means that',
    'the model reads the fault as an answer of the tool (`isError: true`) and can act on it; for prompts, resources',
    'and completions it is the error beside it. Legacy clients get the code in brackets, where there is one.',
    '',
    ...table(['code', 'who can fix it', 'retryable', 'meaning', 'remedy', 'MCP', 'exit status'], faults),
    '',
    '## Configuration, trust and state',
    '',
    'Reported by `tidegate config check` and at start, each with file, line and column. Exit status 2 for `config.*`,',
    '6 for the others.',
    '',
    ...table(['code', 'meaning', 'remedy'], problems),
    '',
    '## Rights',
    '',
    'Errors of the admin service: `profile`, `grant`, `revoke`, `check`, `explain`, `access`, `audit`, and the',
    'same operations over the admin API. Nothing was changed.',
    '',
    ...table(['code', 'meaning', 'remedy', 'HTTP', 'exit status'], rights),
    '',
    '## The authorization model',
    '',
    'What `access.bad_model` names in brackets.',
    '',
    ...table(['code', 'meaning', 'remedy'], model),
    '',
    '## Tokens',
    '',
    ...table(['code', 'meaning', 'remedy', 'exit status'], tokens),
    '',
    '## HTTP',
    '',
    'Answers of `tidegate serve` before anything is called, under `error.code` of the body; behind `tidegate mcp --via`',
    'under `error.data.code`.',
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
