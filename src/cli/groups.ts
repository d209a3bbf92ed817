/** Summaries of the command groups, by name. */
export const groups: Readonly<Record<string, string>> = {
  tools: 'List, search, show, call and create tools, and show their token cost.',
  plugin: 'List, show, call, trust, enable and create plugins.',
  runs: 'List and show workflow runs.',
  profile: 'List, show, assign and inspect profiles.',
  access: 'Export, import and test grants.',
  token: 'Create, list, rotate and revoke client tokens.',
  secrets: 'Store secrets that tidegate.yaml refers to.',
  config: 'Check and locate the configuration.',
};
