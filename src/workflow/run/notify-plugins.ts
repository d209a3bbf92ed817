import type { RunParts } from './run-parts.js';

/** Facts of a run, under the names that AWF plugins expect. */
export interface EventFacts {
  readonly workflow_id: string;
  readonly workflow_name?: string;
  readonly step_name?: string;
  readonly error?: string;
  readonly duration?: string;
}

/** Sends run events to plugins, with secrets removed as in the run record. */
export function notifyPlugins(
  { plugins, redact }: Pick<RunParts, 'plugins' | 'redact'>,
  type: string,
  facts: EventFacts,
  payload: Readonly<Record<string, unknown>>,
): void {
  const metadata = Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, String(redact(value))]),
  );
  plugins.publish({ type, source: 'workflow', payload: JSON.stringify(redact(payload)), metadata });
}
