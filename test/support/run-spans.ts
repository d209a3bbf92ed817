import type { Collector, Span } from './collector.js';
import type { FlowResult } from './flow.js';

export interface RunSpans {
  readonly run: Span;
  readonly step: Span;
  readonly calls: readonly Span[];
}

/** The spans of one run, one step of it, and all calls of tools in it, as a collector received them. */
export function spansOf(collector: Collector, result: FlowResult, stepName = 'a'): RunSpans {
  const all = collector.spans();
  const run = all.find(
    ({ name, attributes }) => name === 'workflow.run' && attributes['run.id'] === result.run,
  );
  const step = all.find(
    ({ name, traceId }) => name === `workflow.step.${stepName}` && traceId === run?.traceId,
  );
  if (run === undefined || step === undefined) throw new Error('no spans of the run');
  return {
    run,
    step,
    calls: all.filter(({ name, traceId }) => name.startsWith('tool.call.') && traceId === run.traceId),
  };
}
