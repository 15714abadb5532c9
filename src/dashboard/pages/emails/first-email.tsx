import { FirstCall, firstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { useMay } from "../../app/people.ts"
import { buttonClass } from "../../ui/button.tsx"
import { cx } from "../../ui/cx.ts"
import { Empty } from "../../ui/empty.tsx"
import { useSender } from "./sender.ts"

function NoSender() {
  const { manage } = useMay()
  return (
    <Empty title="No emails yet">
      <p>No domain of this team is verified, so nothing can be sent.</p>
      {manage && (
        <Link to="/start" className={cx(buttonClass("primary"), "justify-self-start")}>
          Send the first email
        </Link>
      )}
    </Empty>
  )
}

export default function FirstEmail() {
  const from = useSender()
  if (from === undefined) return null
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
      request={firstCall("/emails", "emails.send", json)}
    >
      <p>Every email that is sent is listed here, with what became of it.</p>
    </FirstCall>
  )
}
