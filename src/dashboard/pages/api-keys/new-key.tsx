import { Link } from "../../app/link.tsx"
import { Button } from "../../ui/button.tsx"
import { Secret } from "../../ui/form/secret.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { RequestSnippet } from "../../ui/request/request-snippet.tsx"
import { useSender } from "../emails/sender.ts"

/** The secret, and a call with the secret that works when it is pasted. */
export function NewKey({
  secret,
  domain,
  onClose,
}: {
  secret: string
  /** The only domain that the key may send from. */
  domain: string | undefined
  onClose(): void
}) {
  const sender = useSender()
  const from = domain ? `hello@${domain}` : (sender ?? "you@your-domain.example")
  const json = {
    from,
    to: "success@simulator.amazonses.com",
    subject: "It works",
    html: "<p>Hi there</p>",
  }
  return (
    <div className="grid gap-4">
      <Secret label="API key" secret={secret} />
      <div className="grid gap-2">
        <p className="font-medium">Send your first email</p>
        {!domain && sender === null && (
          <p className="text-muted">
            Your team has no verified domain yet.{" "}
            <Link to="/domains?new=true" className="underline">
              Add a domain
            </Link>
            .
          </p>
        )}
        <RequestSnippet
          request={requestOf("POST", "/emails", "emails.send", json)}
          secret={secret}
        />
        <p className="text-muted">
          It appears in{" "}
          <Link to="/emails" className="underline">
            Emails
          </Link>{" "}
          and, in the sandbox, in the{" "}
          <Link to="/inbox" className="underline">
            test inbox
          </Link>
          .
        </p>
      </div>
      <div className="flex justify-end">
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  )
}
