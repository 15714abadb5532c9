import { Mono } from "../../ui/copy.tsx"

/** The link is shown once: only a hash of it is stored. */
export const InvitationLink = ({
  email,
  link,
  mailed,
}: {
  email: string
  link: string
  mailed: boolean
}) => (
  <div className="grid gap-3 wrap-anywhere">
    <p>
      {mailed
        ? `A mail with this link goes to ${email}.`
        : `No mail was sent, because no domain of this team is verified. Hand the link to ${email} yourself.`}
    </p>
    <div className="rounded-md border bg-sunken p-3">
      <Mono text={link} copy />
    </div>
    <p className="text-muted">
      Whoever has the link can join. It works once, for seven days, and is shown only now.
    </p>
  </div>
)
