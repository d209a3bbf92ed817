import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const packageFolder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const licenceFile = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

const mitText = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation
the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of
the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
IN THE SOFTWARE.`;

const bsd3Text = `Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the
following disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the
following disclaimer in the documentation and/or other materials provided with the distribution.

3. Neither name of copyright holders nor the names of its contributors may be used to endorse or promote products
derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED
WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR
PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE REGENTS OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT,
INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF
SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY
THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING
IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;

const unlicenseText = `This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software, either in source code
form or as a compiled binary, for any purpose, commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this software dedicate any and all
copyright interest in the software to the public domain. We make this dedication for the benefit of the public at
large and to the detriment of our heirs and successors. We intend this dedication to be an overt act of
relinquishment in perpetuity of all present and future rights to this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

For more information, please refer to <https://unlicense.org>`;

/** License texts by the license name in a manifest, and copyright holders that manifests do not name. */
const standardTexts = { MIT: mitText, 'BSD-3-Clause': bsd3Text };
const holders = { antlr4: '2012-2022 The ANTLR Project. All rights reserved.' };

/** Every npm package with code in the bundles: its folder and manifest, by name. */
export async function bundledPackages(root, metafile) {
  const folders = new Set();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = packageFolder.exec(input)?.[1];
      if (folder && bytesInOutput > 0) folders.add(join(root, folder));
    }
  }
  const found = await Promise.all(
    [...folders].map(async (folder) => ({ folder, manifest: await manifestOf(folder) })),
  );
  const key = ({ manifest }) => `${manifest.name} ${manifest.version}`;
  return found.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

async function manifestOf(folder) {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

/** The licenses of all bundled packages, as one text. */
export async function thirdPartyNotices(packages) {
  const notices = await Promise.all(packages.map(notice));
  const head = `Tidegate bundles code of these ${notices.length} packages.\n`;
  return [head, ...notices].join(`\n${'='.repeat(80)}\n`);
}

async function notice({ folder, manifest }) {
  const texts = await licenceTexts(folder);
  if (texts.length === 0) texts.push(standardText(manifest));
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${texts.join('\n\n')}\n`;
}

async function licenceTexts(folder) {
  const names = (await readdir(folder)).filter((name) => licenceFile.test(name)).sort();
  return Promise.all(names.map(async (name) => (await readFile(join(folder, name), 'utf8')).trim()));
}

/** Some packages name their license but do not include its text. */
function standardText({ name, license, author }) {
  // Public domain, so there is no copyright holder.
  if (license === 'Unlicense') return unlicenseText;
  const text = standardTexts[license];
  if (!text) throw new Error(`${name} has no license text (its manifest says: ${license})`);
  const named = typeof author === 'string' ? author : author?.name;
  const holder = holders[name] ?? named ?? `the authors of ${name}`;
  return `Copyright (c) ${holder}\n\n${text}`;
}
