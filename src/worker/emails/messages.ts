export interface EmailRef {
  teamId: string
  emailId: string
}

/** Hints of the queues `sends`, `sends-backlog` and `sends-bulk`: emails are due. */
export type SendsMessage =
  | { kind: "sends" | "sends-backlog"; teams: string[]; dueAt: number }
  | { kind: "sends-bulk"; dueAt: number }
