import type { Problem } from '../problem.js';
import { type PluginManifest, pluginProblem, settingValue } from './manifest.js';

export interface Settings {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
}

/** What `Init` is told: what was given, or the default; each as the manifest says. */
export function settingsOf(
  { settings }: PluginManifest,
  given: ReadonlyMap<string, string>,
  file: string,
): Settings {
  const problems: Problem[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of settings) {
    const text = given.get(key) ?? setting.default;
    if (text === undefined) {
      if (setting.isRequired)
        problems.push(
          pluginProblem(file, `The setting ${key} is needed: give it under \`config\` in plugins.yaml.`),
        );
      continue;
    }
    const value = settingValue(setting.type, text);
    if (value === undefined)
      problems.push(pluginProblem(file, `The setting ${key} must be of the type ${setting.type}.`));
    else if (setting.choices !== undefined && !setting.choices.includes(text))
      problems.push(pluginProblem(file, `The setting ${key} must be one of: ${setting.choices.join(', ')}.`));
    else values[key] = value;
  }
  const unknown = [...given].filter(([key]) => !settings.has(key));
  return { values: { ...values, ...looseSettings(new Map(unknown)) }, problems };
}

/** What no manifest declares is what it looks like. */
export function looseSettings(given: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  const valueOf = (text: string): unknown =>
    settingValue('boolean', text) ?? settingValue('integer', text) ?? text;
  return Object.fromEntries([...given].map(([key, text]) => [key, valueOf(text)]));
}
