/** A request sent by a workflow. */
export interface WebRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole request, including redirects. */
  readonly timeoutMs: number;
  /** The host is written in the workflow file. Only then may it be in a private network. */
  readonly isHostFixed: boolean;
}

export interface WebAnswer {
  readonly status: number;
  /** Names like `Content-Type`; multiple values are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body was cut at the limit. */
  readonly isCut: boolean;
}

/** Sends HTTP requests. A ToolFailure reveals only the origin of the URL. */
export interface Web {
  send(request: WebRequest, signal: AbortSignal): Promise<WebAnswer>;
}
