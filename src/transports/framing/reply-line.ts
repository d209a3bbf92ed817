/** The way back to whoever sent one message: what belongs to it, then its one answer. */
export interface ReplyLine {
  /** A message that belongs to the request: progress, log, question. False when it cannot be carried now. */
  send(text: string): boolean;
  /** News that can wait while the client does not read. */
  tell(text: string): void;
  /** The one answer. The status matters to HTTP only. */
  end(text: string, status?: number): void;
  /** No answer will come: the request was cancelled, or it was a notification. */
  drop(): void;
}
