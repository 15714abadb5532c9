import type { getProfile } from "../../../worker/access/people/profile-contract.ts"
import { call } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"

export type Profile = ReplyOf<typeof getProfile>

export const profileQuery = {
  queryKey: ["profile"],
  queryFn: () => call<typeof getProfile>({ method: "GET", path: "/profile" }),
}
