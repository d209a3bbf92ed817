/** The files of a new plugin. It works without changes, so its author starts from something that runs. */
export function newPluginFiles(name: string, version: string): Readonly<Record<string, string>> {
  return {
    'plugin.yaml': manifestText(name, version),
    'plugin.ts': pluginText(name),
    [`awf-plugin-${name}`]: launcherText,
  };
}

function manifestText(name: string, version: string): string {
  return `name: ${name}
version: 0.1.0
description: What this plugin is for.
awf_version: ">=0.4.0"
tidegate_version: ">=${version}"
capabilities: [operations]
`;
}

function pluginText(name: string): string {
  return `import { defineOperation, definePlugin, z } from 'tidegate/plugin';

export default definePlugin({
  name: '${name}',
  version: '0.1.0',
  operations: {
    // A tool named ${name}_count_words.
    count_words: defineOperation({
      description: 'Counts the words in a piece of text. Use it to find out how long the text is.',
      input: z.object({
        text: z.string().describe('The text to count words in.'),
      }),
      output: z.object({
        words: z.int().describe('Number of words in the text.'),
      }),
      run({ text }) {
        const words = text.split(/\\s+/).filter((word) => word !== '').length;
        return { data: { words }, text: \`\${words} words\` };
      },
    }),
  },
});
`;
}

const launcherText = `#!/usr/bin/env node
// Runs plugin.ts with the SDK of the gateway that starts it, or with the one installed here (npm install tidegate).
const folder = process.argv[1].replace(/[^/\\\\]*$/, '');
import(process.env.TIDEGATE_PLUGIN_SDK ?? 'tidegate/plugin').then(({ runPluginFile }) => runPluginFile(\`\${folder}plugin.ts\`));
`;
