// How the results are told.

/** Prints a part: its totals always, its table when something failed. */
export function printPart({ name, rows, note }) {
  const totals = count(rows.filter((row) => row.isScored));
  process.stdout.write(
    `${mark(totals)} ${name}: ${totals.passed}/${totals.all} scored passed${aside(totals, rows)}\n`,
  );
  if (totals.failed > 0)
    for (const row of rows) process.stdout.write(`    ${row.verdict.padEnd(8)} ${row.scenario}\n`);
  for (const row of rows) printRow(row);
  if (totals.failed > 0 && note)
    process.stdout.write(`    last output: ${plain(note).trim().slice(-2000)}\n`);
}

const plain = (text) => text.replace(/\u001b\[\d+m/g, '');

const mark = ({ failed }) => (failed > 0 ? '✗' : '✓');

function aside({ skipped }, rows) {
  const unscored = count(rows.filter((row) => !row.isScored));
  const parts = [
    skipped > 0 ? `${skipped} known failures or skipped` : '',
    unscored.all > 0 ? `unscored ${unscored.passed}/${unscored.all}` : '',
  ];
  const text = parts.filter((part) => part !== '').join(', ');
  return text === '' ? '' : ` (${text})`;
}

function printRow({ scenario, verdict, isScored, reason, failures, warnings }) {
  if (reason !== undefined) process.stdout.write(`    known failure ${scenario}: ${reason}\n`);
  if (verdict === 'failed' && !isScored) process.stdout.write(`    not scored, failing: ${scenario}\n`);
  if (verdict === 'failed') printChecks(scenario, failures);
  if (verdict !== 'skipped') printChecks(`warning in ${scenario}`, warnings);
}

function printChecks(title, checks) {
  for (const check of checks) {
    process.stdout.write(
      `      ${title}: ${check.id}: ${(check.errorMessage ?? check.description ?? '').slice(0, 600)}\n`,
    );
  }
}

/** How many rows passed, failed and were skipped. */
export function count(rows) {
  const of = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  return { all: rows.length, passed: of('passed'), failed: of('failed'), skipped: of('skipped') };
}
