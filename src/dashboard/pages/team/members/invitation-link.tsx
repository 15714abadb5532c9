import { Mono } from "../../../ui/request/copy.tsx"

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
        ? `We emailed this link to ${email}.`
        : `Your team has no verified domain, so no email was sent. Share this link with ${email} yourself.`}
    </p>
    <div className="rounded-md border bg-sunken p-3">
      <Mono text={link} copy />
    </div>
    <p className="text-muted">
      Anyone with this link can join. It works once, expires in seven days and is shown only now.
    </p>
  </div>
)
