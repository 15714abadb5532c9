import { Suspense } from "react"
import { composeBody, renderBody } from "../../../worker/campaigns/body.ts"
import type { Sender } from "../../../worker/teams/contract.ts"
import { lazy } from "../../app/lazy.ts"
import { MailFrame } from "../../ui/frame.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { Skeleton } from "../../ui/waiting.tsx"

const UnsubscribePreview = lazy(() => import("./unsubscribe-preview.tsx"))
const READER = { email: "ada@example.com", firstName: "Ada", lastName: null, properties: {} }

/** What readers see of the team, rendered by the code that renders campaigns and the page. */
export default function SenderPreview(sender: Sender) {
  const body = composeBody({
    subject: "",
    preheader: null,
    header: [],
    blocks: [{ kind: "text", html: "Your campaign's content goes here." }],
    footer: [],
    theme: null,
    sender,
  })
  const { html } = renderBody(body, READER, {}, { unsubscribeUrl: "#", preferencesUrl: "#" })
  return (
    <Tabs
      label="Preview"
      tabs={[
        {
          name: "Campaign footer",
          children: <MailFrame title="Campaign footer" html={html} />,
        },
        {
          name: "Unsubscribe page",
          children: (
            <Suspense fallback={<Skeleton />}>
              <UnsubscribePreview email={READER.email} sender={sender} />
            </Suspense>
          ),
        },
      ]}
    />
  )
}
