const cell = { width: 8.4, height: 19, size: 14 };
const edge = 16;

/** A picture of a terminal that follows the reader's color scheme. */
export function svgOf({ title, typed, lines, columns }) {
  const shown = [
    [
      { text: '$ ', style: 'dim' },
      { text: typed, style: 'bold' },
    ],
    ...lines,
  ];
  const width = Math.ceil(columns * cell.width + 2 * edge);
  const height = Math.ceil(shown.length * cell.height + 2 * edge);
  const rows = shown.map((runs, at) => rowOf(runs, edge + (at + 0.75) * cell.height));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>
text{font:${cell.size}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;white-space:pre}
rect{fill:#f6f8fa;stroke:#d1d9e0}.bold{font-weight:600}.dim{fill:#59636e}.red{fill:#c5221f}.green{fill:#1a7f37}.yellow{fill:#8a5a00}.blue{fill:#0550ae}.cyan{fill:#0e6b77}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#151b23;stroke:#3d444d}.dim{fill:#9198a1}.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}.blue{fill:#79c0ff}.cyan{fill:#76e3ea}}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
${rows.join('\n')}
</svg>
`;
}

/** Each run of text has a fixed x position, so that no font shifts the text after it. */
function rowOf(runs, y) {
  let column = 0;
  const spans = runs.map(({ text, style }) => {
    const x = (edge + column * cell.width).toFixed(1);
    const length = [...text].length;
    column += length;
    const fit = `textLength="${(length * cell.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
    const words = style === '' ? '' : ` class="${style}"`;
    return text.trim() === '' ? '' : `<tspan x="${x}" ${fit}${words}>${escaped(text)}</tspan>`;
  });
  return `<text y="${y.toFixed(1)}" xml:space="preserve">${spans.join('')}</text>`;
}

function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
