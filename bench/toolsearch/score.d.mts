export interface ToolSet {
  readonly name: string;
  readonly tools: readonly {
    readonly id: string;
    readonly name: string;
    readonly server: string;
    readonly description: string;
    readonly inputSchema?: unknown;
  }[];
  readonly queries: readonly Labelled[];
}

export interface Labelled {
  readonly qid: string;
  readonly query: string;
  readonly relevant: readonly string[];
  readonly groups?: readonly (readonly string[])[];
}

export function score(
  found: readonly string[],
  query: Labelled,
): { readonly ndcg10: number; readonly recall5: number };
export function loadSet(folder: string, name: string): ToolSet | undefined;
