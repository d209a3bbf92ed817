/** Options of `tidegate run --agent`. */
export interface AgentFlow {
  readonly provider: string;
  readonly tools: readonly string[];
  readonly profile?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  /** Name of the variable that holds the API key. */
  readonly apiKeyEnv?: string;
  readonly system?: string;
}

/** A workflow with one agent. The prompt is an input, so that it is not parsed as a template. */
export function agentFlowText(flow: AgentFlow): string {
  const { provider, tools, profile, model, baseUrl, apiKeyEnv, system } = flow;
  // JSON is valid YAML.
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
          ...(apiKeyEnv !== undefined && { api_key_env: apiKeyEnv }),
        },
        tidegate: { tools, ...(profile !== undefined && { profile }) },
        on_success: 'done',
      },
      done: { type: 'terminal' },
    },
    outputs: { answer: 'states.agent.Output' },
  });
}
