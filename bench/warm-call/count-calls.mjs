// Loaded into the measured gateway with `--import`. Each SIGUSR2 reports the functions that ran since the last one.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const report = process.env['TIDEGATE_COUNT_CALLS'];
// Children of the gateway must not count: they would overwrite the report.
delete process.env['NODE_OPTIONS'];
delete process.env['TIDEGATE_COUNT_CALLS'];

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

let count = 0;
process.on('SIGUSR2', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    count += 1;
    writeFileSync(`${report}.${count}`, JSON.stringify(result.map(calledIn)));
    // The reader waits for this file, which marks the other one as complete.
    writeFileSync(`${report}.${count}.done`, '');
  });
});

function calledIn({ url, functions }) {
  const called = functions.filter(
    ({ functionName, ranges: [range] }) => range.count > 0 && (functionName || range.startOffset > 0),
  );
  return { url, offsets: called.map(({ ranges: [range] }) => range.startOffset) };
}
