/** An object has changed. Read the object to see its new state. */
export interface Change {
  type: "email" | "webhook" | "received"
  id: string
  /** The number of the change in the team's stream. Pass it as `lastEventId` to go on from here. */
  sequence: number
}

/** Changes were missed and are no longer stored. Read all objects that you show again. */
export interface Reset {
  type: "reset"
  sequence: number
}
