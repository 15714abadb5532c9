import { useState } from "react"
import type {
  InvitationWithLink,
  listInvitations,
  resendInvitation,
} from "../../../../worker/teams/members/invitations-contract.ts"
import { call, path } from "../../../api/api.ts"
import { usePages } from "../../../api/pages.ts"
import { refresh } from "../../../api/queries.ts"
import type { ReplyOf } from "../../../api/session.ts"
import { useMay } from "../../../app/people.ts"
import { Badge, sentence } from "../../../ui/badge.tsx"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { List } from "../../../ui/list/list.tsx"
import { menuColumn } from "../../../ui/menu/row-menu.tsx"
import { Section } from "../../../ui/page.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { say, sayError } from "../../../ui/toast.tsx"
import { InvitationLink } from "./invitation-link.tsx"

type Invitation = ReplyOf<typeof listInvitations>["data"][number]

const revoke = ({ id }: Invitation) =>
  call({ method: "DELETE", path: path`/invitations/${id}` })
    .then(() => say("Invitation revoked"), sayError)
    .finally(() => refresh("invitations"))

export function Invitations() {
  const { own } = useMay()
  const [made, setMade] = useState<Pick<InvitationWithLink, "email" | "link" | "mailed"> | null>(
    null,
  )
  const invitations = usePages<Invitation>(["invitations"], (query) =>
    call<typeof listInvitations>({ method: "GET", path: "/invitations", query }),
  )
  const resend = ({ id }: Invitation) =>
    call<typeof resendInvitation>({ method: "POST", path: path`/invitations/${id}/resend` })
      .then(setMade, sayError)
      .finally(() => refresh("invitations"))
  if (invitations.isSuccess && invitations.rows.length === 0) return null
  return (
    <Section title="Invitations" about="Sent and not accepted yet.">
      <List
        {...invitations}
        label="Invitations"
        rowKey={({ id }) => id}
        empty={null}
        columns={[
          {
            head: "Address",
            width: "minmax(0, 2fr)",
            cell: ({ email }) => email,
            below: ({ role, expiresAt }) => (
              <>
                {sentence(role)} · <Expiry at={expiresAt} />
              </>
            ),
          },
          { head: "Role", width: "80px", cell: ({ role }) => sentence(role) },
          {
            head: "Invited by",
            width: "minmax(0, 1fr)",
            cell: ({ invitedBy }) => invitedBy ?? "–",
          },
          { head: "Expires", width: "112px", cell: ({ expiresAt }) => <Ends at={expiresAt} /> },
          menuColumn<Invitation>(
            ({ email }) => email,
            (one) =>
              own || one.role !== "owner"
                ? [
                    { label: "Create new link", onSelect: () => void resend(one) },
                    { label: "Revoke invitation", danger: true, onSelect: () => void revoke(one) },
                  ]
                : [],
          ),
        ]}
      />
      <Dialog
        open={made !== null}
        onOpenChange={() => setMade(null)}
        title="New invitation link"
        description="Earlier links no longer work."
      >
        {made && <InvitationLink {...made} />}
      </Dialog>
    </Section>
  )
}

const Expiry = ({ at }: { at: string }) =>
  Date.parse(at) < Date.now() ? (
    "expired"
  ) : (
    <>
      expires <Time at={at} />
    </>
  )

const Ends = ({ at }: { at: string }) =>
  Date.parse(at) < Date.now() ? <Badge state="expired" tone="delayed" /> : <Time at={at} />
