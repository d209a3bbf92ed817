// Test totals: { passed, failed, skipped }.
import { readFile } from 'node:fs/promises';

const line = /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/;

export const nothing = { passed: 0, failed: 0, skipped: 0 };

export function add(...totals) {
  return totals.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
    }),
    nothing,
  );
}

export function sentence({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** A step without tests counts as one. */
export function oneStep(code) {
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

/** Reads the last line of a suite's output. A suite that fails without totals counts as one failure. */
export function ofOutput({ code, output }) {
  const match = line.exec(output.trimEnd());
  const total = match
    ? { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3]) }
    : { ...nothing, failed: 1 };
  return withExitCode(total, code);
}

/** Sums vitest's JSON report. A file that could not run has no failed test, and counts as one failure. */
export async function ofVitest(reportFile, code) {
  const report = await readReport(reportFile);
  if (!report) return { ...nothing, failed: 1 };
  const files = report.testResults.map(({ status, assertionResults }) => {
    const having = (...states) => assertionResults.filter((test) => states.includes(test.status)).length;
    const failed = having('failed');
    return {
      passed: having('passed'),
      failed: status === 'failed' && failed === 0 ? 1 : failed,
      skipped: having('skipped', 'pending', 'todo', 'disabled'),
    };
  });
  return withExitCode(add(...files), code);
}

/** Names and first lines of failures, for CI systems that keep only the end of a log. */
export async function failuresOf(reportFile) {
  const report = await readReport(reportFile);
  const files = report?.testResults ?? [];
  return files.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${name}: ${brief(message)}`] : [];
    return failed.map((test) => `${name}: ${test.fullName}: ${brief(test.failureMessages?.[0])}`);
  });
}

/** Tests that passed only when retried, with their first failure. */
export async function retriedIn(reportFile) {
  const report = await readReport(reportFile);
  return (report?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => test.status === 'passed' && (test.failureMessages?.length ?? 0) > 0)
      .map((test) => `${name}: ${test.fullName}: ${brief(test.failureMessages[0])}`),
  );
}

function brief(message = '') {
  const lines = message.trim().split('\n');
  return lines.slice(0, 12).join('\n').slice(0, 1500);
}

function withExitCode(total, code) {
  return code !== 0 && total.failed === 0 ? { ...total, failed: 1 } : total;
}

async function readReport(reportFile) {
  try {
    return JSON.parse(await readFile(reportFile, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
