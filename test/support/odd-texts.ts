/** JSON that is legal, that nobody expects, and that a gate which parses and writes anew would change. */
export const oddValues: Readonly<Record<string, string>> = {
  numbers:
    '[12345678901234567890,9007199254740993,-9007199254740993,-0,1.0,0.10,1e400,1E+2,-1.5e-300,123456789012345678901234567890.12345678901234567890]',
  strings:
    '["\\ud800 lone","lone \\udfff","\\u0000\\u001f","\\/slash","é \\u00e9","😀 \\ud83d\\ude00","\u2028\u2029","\\b\\f\\n\\r\\t","<script>"]',
  order: '{"z":1,"a":2,"10":3,"2":4,"A":5}',
  names:
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}},"":0,"toString":"x","hasOwnProperty":null,"\\u0061\\u0062":"escaped key"}',
  spaces: '{ "a" : [ 1 ,\t2 ] , "b" : { } , "c" : [ ] }',
  empty: '[{},[],"",null,false,[[]],[{}]]',
  deep: `${'['.repeat(700)}1e1${']'.repeat(700)}`,
};

/** A megabyte in one string, for the few places where length matters. */
export const hugeText = `"${'0123456789abcdef'.repeat(65_536)}\\u00e9"`;

const all = Object.entries(oddValues)
  .map(([key, text]) => `"x-${key}":${text}`)
  .join(',');

/** All odd values as members of one object, without its braces. */
export const oddMembers = all;
export const oddObject = `{${all}}`;

const few = `"x-numbers":${oddValues['numbers'] ?? ''},"x-names":${oddValues['names'] ?? ''},"x-order":${oddValues['order'] ?? ''}`;

/** Fewer of them, for the many places where a definition or a result can hold something unknown. */
export const fewOdd = few;

const schema = (kind: string): string =>
  `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:odd:${kind}","type":"object","$defs":{"z":{"$anchor":"here","type":["string","null"],"x-vendor":{${few}}},"a":{"$dynamicAnchor":"node"}},"properties":{"__proto__":{"type":"string"},"n":{"type":"number","multipleOf":1.0,"maximum":12345678901234567890,"default":-0},"r":{"$ref":"#/$defs/z"},"t":{"prefixItems":[{"const":1.0}],"items":false}},"patternProperties":{"^x-":true},"dependentSchemas":{"n":{"required":["r"]}},"if":{"properties":{"n":{"const":1e400}}},"then":false,"else":{"not":{"type":"null"}},"unevaluatedProperties":true,"allOf":[true,{"oneOf":[{},true]}],"examples":[{"n":1E+2}],${few}}`;

const icons = `"icons":[{"src":"data:,x","sizes":["48x48"],"theme":"dark",${few}}]`;

/** Definitions, by the method that lists them. */
export const oddDefinitions = {
  'tools/list': [
    `{"x-first":[1.0],"name":"odd","title":"\\u00d6dd","description":"An \\u006fdd tool.","inputSchema":${schema('in')},"outputSchema":${schema('out')},"annotations":{"readOnlyHint":true,"x-hint":{${few}},"title":"t"},${icons},"execution":{"taskSupport":"forbidden","x":1.0},"_meta":{"vendor/x":{${few}}},"x-unknown":${oddObject}}`,
    '{ "name" : "spaced" , "inputSchema" : { "type" : "object" } }',
    '{"name":"list","inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"type":"number","maximum":1e400}}}',
    ...['error', 'asks', 'notices', 'busy', 'slow'].map(
      (name) => `{"name":"${name}","inputSchema":{"type":"object"}}`,
    ),
  ],
  'prompts/list': [
    `{"name":"odd","title":"P","description":"\\u0050rompt","arguments":[{"name":"a","required":true,"x-arg":{${few}}}],${icons},"_meta":{"vendor/x":1e400},"x-unknown":${oddObject}}`,
  ],
  'resources/list': [
    `{"uri":"odd:\\u002f\\u002fone","name":"one","mimeType":"text/plain","size":12345678901234567890,"annotations":{"audience":["user"],"priority":1.0,"x":{${few}}},"_meta":{"vendor/x":-0},"x-unknown":${oddObject}}`,
  ],
  'resources/templates/list': [
    `{"uriTemplate":"odd://t/{id}","name":"t","annotations":{"x":1.0},"_meta":{"vendor/x":{${few}}},"x-unknown":${oddObject}}`,
  ],
} as const;

const blocks = [
  `{"type":"text","text":"\\u0074ext","annotations":{"audience":["assistant"],"priority":1.0,"x":{${few}}},"_meta":{"vendor/x":{${few}}},"x-block":${oddObject}}`,
  `{"type":"image","data":"AAAA","mimeType":"image/png","x-block":{${few}}}`,
  `{"type":"resource","resource":{"uri":"odd://e","text":"x","_meta":{"v":1.0},"x-inner":{${few}}},"x-block":1.0}`,
  `{"type":"resource_link","uri":"odd://l","name":"l","size":9007199254740993,"x-block":{${few}}}`,
  `{"type":"x-hologram","waves":[1.0,1e400],"x-block":{${few}}}`,
].join(',');

/** Results, by what they answer. */
export const oddResults = {
  tool: `{"x-before":1.0,"content":[${blocks}],"structuredContent":{"huge":${hugeText},${all}},"isError":false,"_meta":{"vendor/x":{${few}},"progress":1e400},"x-unknown":${oddObject}}`,
  spaced: '{ "content" : [ { "type" : "text" , "text" : "x" } ] , "_meta" : { "a" : 1.0 } }',
  prompt: `{"description":"\\u0064","messages":[{"role":"user","content":{"type":"text","text":"x","x-c":{${few}}},"x-m":1.0},{"role":"x-role","content":{"type":"x-type","v":1e400}}],"_meta":{"v":{${few}}},"x-unknown":${oddObject}}`,
  resource: `{"contents":[{"uri":"odd://one","text":"x","mimeType":"text/plain","_meta":{"v":1.0},"x-c":{${few}}}],"_meta":{"v":-0},"x-unknown":${oddObject}}`,
  completion: `{"completion":{"values":["a","\\u0062"],"total":12345678901234567890,"hasMore":false,"x-c":{${few}}},"_meta":{"v":1.0},"x-unknown":${oddObject}}`,
  error: `{"code":-32099,"message":"\\u0065rror","data":${oddObject},"x-unknown":{${few}}}`,
} as const;
