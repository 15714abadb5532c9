/** A hint of the queue `campaigns`: runs are due. */
export interface SequencesMessage {
  kind: "campaigns"
  runs: "due"
}

export const RUNS_ARE_DUE: SequencesMessage = { kind: "campaigns", runs: "due" }
