import type * as z from "zod"
import type { getSession } from "../../worker/access/people/contract.ts"
import type { Endpoint } from "../../worker/platform/http/endpoint.ts"
import { store } from "../store.ts"

/** The reply of an endpoint as JSON, with times in ISO 8601. */
export type ReplyOf<E extends Endpoint> = E["response"] extends z.ZodType
  ? z.input<E["response"]>
  : undefined

export type Session = ReplyOf<typeof getSession>

/** True once the server refuses the session, until it accepts one again. */
export const sessionEnded = store(false)

/** Kept while this browser has a session, so that a visitor's pages make no call that is refused. */
export const signedIn = {
  get: () => localStorage.getItem(SIGNED_IN) !== null,
  keep: () => localStorage.setItem(SIGNED_IN, "true"),
  forget: () => localStorage.removeItem(SIGNED_IN),
}
const SIGNED_IN = "signed-in"

const TEAM = "team"

/** The team that this page shows. */
let shown: string | undefined

/** The team of this browser tab. Each tab may have another team. */
export const chosenTeam = {
  get: () => shown ?? sessionStorage.getItem(TEAM) ?? localStorage.getItem(TEAM) ?? undefined,
  /** A tab stays in the team that it shows, whatever another tab chooses. */
  keep(id: string) {
    if (id === shown) return
    shown = id
    sessionStorage.setItem(TEAM, id)
  },
  /** New tabs begin with the last choice. */
  set(id: string) {
    chosenTeam.keep(id)
    localStorage.setItem(TEAM, id)
  },
  /** Loads a page of another team. What this page still sends, such as a reply, belongs to its own team. */
  open(id: string, path = "/dashboard") {
    sessionStorage.setItem(TEAM, id)
    localStorage.setItem(TEAM, id)
    location.assign(path)
  },
  forget() {
    shown = undefined
    sessionStorage.removeItem(TEAM)
    localStorage.removeItem(TEAM)
  },
}
