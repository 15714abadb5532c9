export interface Change {
  /** For example "creates the queue edgepost-sends". */
  says: string
  apply(): Promise<unknown>
}
