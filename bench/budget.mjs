// The speed budget as ratios, because figures from different runs or machines cannot be compared.

/** Each entry compares a measured ratio with its limit. */
export function verdicts({ stdio, http, cold, coldTools }) {
  const floor = pooled(stdio, 'relay', 'relay2');
  const httpFloor = pooled(http, 'relay-http', 'relay-http2');
  const gate = stdio.get('tidegate');
  const gateHttp = http.get('tidegate-http');
  const peers = ['mcp-proxy', 'supergateway'].map((name) => ({ name, ...http.get(name) }));
  return [
    atMost('stdio p50, relative to the relay', gate.p50us / floor.p50us, 1.5),
    atLeast('stdio calls per second, 32 in flight, relative to the relay', gate.rps / floor.rps, 0.6),
    atMost('HTTP p50, relative to the bare HTTP relay', gateHttp.p50us / httpFloor.p50us, 1.5),
    atLeast(
      'HTTP calls per second, 32 in flight, relative to the bare HTTP relay',
      gateHttp.rps / httpFloor.rps,
      0.6,
    ),
    ...peers.flatMap((peer) => againstPeer(gateHttp, peer)),
    ...coldVerdicts({ cold, coldTools }),
  ];
}

export function coldVerdicts({ cold, coldTools }) {
  const what = 'CPU of a cold `tidegate mcp` until tools/list is answered, relative to bare Node';
  return [
    atMost(what, cold.gate / cold.bare, 2),
    atMost('the same with 60 workspace tools', coldTools.gate / coldTools.bare, 2),
  ];
}

function againstPeer(gate, peer) {
  return [
    below(`HTTP p50, relative to ${peer.name}`, gate.p50us / peer.p50us, 1),
    above(`HTTP calls per second, relative to ${peer.name}`, gate.rps / peer.rps, 1),
    atMost(`cold CPU of the process tree, relative to ${peer.name}`, gate.coldCpuMs / peer.coldCpuMs, 0.25),
    atMost(`memory of the process tree, relative to ${peer.name}`, gate.rssMB / peer.rssMB, 0.5),
  ];
}

/** Two arms of the same program: their mean is the floor, their ratio is the noise. */
export function pooled(rows, name, again) {
  const [one, two] = [rows.get(name), rows.get(again)];
  const keys = Object.keys(one);
  return Object.fromEntries(keys.map((key) => [key, (one[key] + two[key]) / 2]));
}

const atMost = (what, ratio, limit) => ({ what, ratio, budget: `≤ ${limit} ×`, isKept: ratio <= limit });
const atLeast = (what, ratio, limit) => ({ what, ratio, budget: `≥ ${limit} ×`, isKept: ratio >= limit });
const below = (what, ratio, limit) => ({ what, ratio, budget: `< ${limit} ×`, isKept: ratio < limit });
const above = (what, ratio, limit) => ({ what, ratio, budget: `> ${limit} ×`, isKept: ratio > limit });
