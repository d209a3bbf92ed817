/** The way back to the sender of one message: related messages, then its one answer. */
export interface ReplyLine {
  /** Send a message that belongs to the request: progress, log, question. False if it cannot be sent now. */
  send(text: string): boolean;
  /** Send a notification that can wait while the client does not read. */
  tell(text: string): void;
  /** Send the answer. Only HTTP uses the status. */
  end(text: string, status?: number): void;
  /** No answer will follow: the request was cancelled, or it was a notification. */
  drop(): void;
}
