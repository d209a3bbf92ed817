/** What `tidegate run --agent` was given. */
export interface AgentFlow {
  readonly provider: string;
  readonly tools: readonly string[];
  readonly profile?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly system?: string;
}

/** A workflow of one agent. Its prompt is an input, so that nothing in it is taken for a template. */
export function agentFlowText({ provider, tools, profile, model, baseUrl, system }: AgentFlow): string {
  // JSON is YAML.
  return JSON.stringify({
    name: 'agent',
    inputs: [
      { name: 'prompt', required: true },
      { name: 'system', default: system ?? '' },
    ],
    states: {
      initial: 'agent',
      agent: {
        type: 'agent',
        provider,
        prompt: '{{.inputs.prompt}}',
        system_prompt: '{{.inputs.system}}',
        options: {
          ...(model !== undefined && { model }),
          ...(baseUrl !== undefined && { base_url: baseUrl }),
        },
        tidegate: { tools, ...(profile !== undefined && { profile }) },
        on_success: 'done',
      },
      done: { type: 'terminal' },
    },
    outputs: { answer: 'states.agent.Output' },
  });
}
