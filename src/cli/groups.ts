/** What the commands of a group have in common, by its name. */
export const groups: Readonly<Record<string, string>> = {
  tools: 'List, show, call and weigh tools.',
  plugin: 'List, show, call, trust, switch and start plugins.',
  runs: 'List and show runs of workflows.',
  profile: 'List, show, assign and inspect profiles.',
  access: 'Export, import and test all grants.',
  token: 'Make, list and revoke the tokens of clients.',
  secrets: 'Keep values that tidegate.yaml refers to.',
  config: 'Check and find the configuration.',
};
