import type { RunParts } from './run-parts.js';

/** Facts of a run by the names under which plugins made for AWF look for them. */
export interface EventFacts {
  readonly workflow_id: string;
  readonly workflow_name?: string;
  readonly step_name?: string;
  readonly error?: string;
  readonly duration?: string;
}

/** Tells plugins of a run. What they are told is as clean of secrets as the record of the run. */
export function tellPlugins(
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
