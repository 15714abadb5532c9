import { FirstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { useMay } from "../../app/people.ts"
import { buttonClass } from "../../ui/button.tsx"
import { cx } from "../../ui/cx.ts"
import { Empty } from "../../ui/empty.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { Skeleton } from "../../ui/waiting.tsx"
import { useSender } from "./sender.ts"

function NoSender() {
  const { manage } = useMay()
  return (
    <Empty title="No emails yet">
      <p>Verify a domain to start sending.</p>
      {manage && (
        <Link to="/start" className={cx(buttonClass("primary"), "justify-self-start")}>
          Send your first email
        </Link>
      )}
    </Empty>
  )
}

export default function FirstEmail() {
  const from = useSender()
  if (from === undefined) return <Skeleton />
  if (from === null) return <NoSender />
  const json = {
    from,
    to: "success@simulator.amazonses.com",
    subject: "It works",
    html: "<p>Hi there</p>",
  }
  return (
    <FirstCall
      title="No emails yet"
      permission="sending_only"
      request={requestOf("POST", "/emails", "emails.send", json)}
    >
      <p>Every email you send appears here with its status.</p>
    </FirstCall>
  )
}
