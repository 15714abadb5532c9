import { composeBody, renderBody } from "../../../worker/campaigns/body.ts"
import { askPage } from "../../../worker/contacts/unsubscribe/page.ts"
import type { Sender } from "../../../worker/teams/contract.ts"
import { MailFrame } from "../../ui/frame.tsx"
import { Tabs } from "../../ui/tabs.tsx"

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
            <MailFrame
              title="Unsubscribe page"
              html={String(askPage("en", READER.email, sender))}
            />
          ),
        },
      ]}
    />
  )
}
