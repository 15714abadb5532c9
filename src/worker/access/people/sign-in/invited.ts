import { and, eq, gt } from "drizzle-orm"
import { newId } from "../../../../lib/id.ts"
import type { Work } from "../../../platform/context.ts"
import { ownName } from "../../../platform/http/shapes.ts"
import { joinStatements } from "../../../teams/members/join.ts"
import { invitations } from "../table.ts"

interface NewUser {
  id: string
  email: string
  name: string
  emailVerified: boolean
}

/**
 * After a sign-in through a provider, the library may create a person only if the provider has
 * verified the address and a team has invited it. The person then joins the teams that invited it.
 */
export const invitedOnly = (work: Work) => ({
  create: {
    async before(user: Omit<NewUser, "id">) {
      const isInvited = user.emailVerified && (await findInvitations(work, user.email)).length > 0
      const name = ownName(200).safeParse(user.name).data ?? user.email.split("@")[0] ?? ""
      return isInvited && { data: { ...user, name, id: newId("user"), image: null } }
    },
    async after(user: NewUser) {
      const held = await findInvitations(work, user.email)
      const [first, ...others] = held.flatMap((invitation) =>
        Object.values(joinStatements(work, invitation, user)),
      )
      if (first) await work.db.batch([first, ...others])
    },
  },
})

const findInvitations = (work: Work, email: string) =>
  work.db
    .select()
    .from(invitations)
    .where(and(eq(invitations.email, email), gt(invitations.expiresAt, work.now())))
