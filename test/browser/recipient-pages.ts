import { gunzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { selectFrom } from "../system/dev-server.ts"
import type { Opened } from "./opened.ts"

const LINK = /https?:\/\/[^/\s]+\/(unsubscribe|preferences)\/[\w.~-]+/g

/** What somebody sees who follows the links in a campaign's mail, and the API reference. */
export function recipientPages(state: string, baseUrl: string): Opened[] {
  const { unsubscribe, preferences } = linksIn(newestCampaignMail(state))
  const send = (page: Page) => page.locator("button[type=submit]").first().click()
  const stay = (page: Page) => page.waitForLoadState("networkidle")
  const open = (name: string, path: string, ...steps: Opened["steps"]) => ({ name, path, steps })
  return [
    open("preferences", preferences ?? ""),
    open("preferences-saved", preferences ?? "", send),
    open("unsubscribe", unsubscribe ?? ""),
    open("unsubscribed", unsubscribe ?? "", send),
    open("bad-link", `${baseUrl}/unsubscribe/broken`),
    open("docs", `${baseUrl}/docs`, stay),
    open("docs-call", `${baseUrl}/docs#call-emails.send`, stay),
    open("docs-events", `${baseUrl}/docs#webhook-events`, stay),
  ]
}

function newestCampaignMail(state: string): string {
  const [row] = selectFrom(
    state,
    `select body from sandbox_messages join emails on emails.id = email_id
     where campaign_id is not null order by email_id desc limit 1`,
  )
  return gunzipSync(Buffer.from(String(row?.body), "base64")).toString("utf8")
}

const linksIn = (mail: string): Record<string, string> =>
  Object.fromEntries([...mail.matchAll(LINK)].map(([link, page = ""]) => [page, link]))
