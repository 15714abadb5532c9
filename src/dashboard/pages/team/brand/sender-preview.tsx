import { Suspense } from "react"
import type { Sender } from "../../../../worker/teams/contract.ts"
import { lazy } from "../../../app/lazy.ts"
import { MailFrame } from "../../../ui/frame.tsx"
import { Tabs } from "../../../ui/tabs.tsx"
import { Skeleton } from "../../../ui/waiting.tsx"
import { drawHtml } from "../../blocks/draw-html.ts"

const UnsubscribePreview = lazy(() => import("./unsubscribe-preview.tsx"))

/** What readers see of the team, drawn by the code that renders campaigns and the page. */
export default function SenderPreview(sender: Sender) {
  const html = drawHtml({
    blocks: [{ kind: "text", html: "Your campaign's content goes here." }],
    theme: null,
    sender,
  })
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
              <UnsubscribePreview email="ada@example.com" sender={sender} />
            </Suspense>
          ),
        },
      ]}
    />
  )
}
