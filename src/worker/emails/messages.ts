export interface EmailRef {
  teamId: string
  emailId: string
  /** The number of the team's database. Absent for the directory. */
  database?: number
}

/** Hints of the queues `sends`, `sends-backlog` and `sends-bulk`: emails are due. */
export type SendsMessage =
  | { kind: "sends" | "sends-backlog"; teams: string[]; dueAt: number }
  | { kind: "sends-bulk"; dueAt: number }
