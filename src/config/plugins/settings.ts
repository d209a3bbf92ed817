import type { Problem } from '../problem.js';
import { type PluginManifest, pluginProblem, settingValue } from './manifest.js';

export interface Settings {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
}

/** The settings for `Init`: given values or defaults, converted to the types in the manifest. */
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
          pluginProblem(file, `The setting ${key} is required. Set it under \`config\` in plugins.yaml.`),
        );
      continue;
    }
    const value = settingValue(setting.type, text);
    if (value === undefined)
      problems.push(pluginProblem(file, `The setting ${key} must have the type ${setting.type}.`));
    else if (setting.choices !== undefined && !setting.choices.includes(text))
      problems.push(pluginProblem(file, `The setting ${key} must be one of: ${setting.choices.join(', ')}.`));
    else values[key] = value;
  }
  const unknown = [...given].filter(([key]) => !settings.has(key));
  return { values: { ...values, ...looseSettings(new Map(unknown)) }, problems };
}

/** Settings that no manifest declares get the type that their text looks like. */
export function looseSettings(given: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  const valueOf = (text: string): unknown =>
    settingValue('boolean', text) ?? settingValue('integer', text) ?? text;
  return Object.fromEntries([...given].map(([key, text]) => [key, valueOf(text)]));
}
