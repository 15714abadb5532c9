import { useQuery } from "@tanstack/react-query"
import { domainsQuery } from "../../api/queries.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { useMay } from "../../app/people.ts"
import { buttonClass } from "../../ui/button.tsx"
import { cx } from "../../ui/cx.ts"
import { Empty } from "../../ui/empty.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { Loaded } from "../../ui/waiting.tsx"
import { refreshInboxes } from "./data.ts"

/** What to do before mail can arrive. */
export default function FirstInbox() {
  const query = useQuery(domainsQuery)
  const { manage } = useMay()
  return (
    <Loaded query={query}>
      {({ data: domains }) => {
        const receiving = domains.find(({ receiving }) => receiving.mode !== "off")
        const verified = domains.find(({ status }) => status === "verified")
        const domain = receiving ?? verified
        const step = (
          <>
            <p>
              {receiving
                ? "Create an inbox, such as support@, to read and answer mail here."
                : "Turn on receiving for a verified domain, then create an inbox, such as support@."}
            </p>
            {manage && (
              <Link
                to={domain ? `/domains/${domain.id}` : "/domains"}
                className={cx(buttonClass("primary"), "justify-self-start")}
              >
                {domain ? `Open ${domain.name}` : "Open domains"}
              </Link>
            )}
          </>
        )
        if (!receiving) return <Empty title="No inboxes yet">{step}</Empty>
        const json = { address: `support@${receiving.name}`, name: "Support" }
        return (
          <FirstCall
            title="No inboxes yet"
            request={requestOf("POST", "/inboxes", "inboxes.create", json)}
            refetch={refreshInboxes}
          >
            {step}
          </FirstCall>
        )
      }}
    </Loaded>
  )
}
