import type { Page } from "playwright-core"

/** A page, and what a person does there before the picture is taken. */
export interface Opened {
  name: string
  path: string
  steps: readonly ((page: Page) => Promise<unknown>)[]
}

/** Presses a button, or an item of a menu, by its whole name. */
const press = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole("button", { name, exact: true })
    .or(page.getByRole("menuitem", { name, exact: true }))
    .or(page.getByRole("tab", { name, exact: true }))
    .or(page.getByRole("radio", { name, exact: true }))
    .first()
    .click({ timeout: 10_000 })

const choose = (name: string) => (page: Page) =>
  page.getByRole("combobox", { name }).first().click({ timeout: 10_000 })

const fill = (label: string, value: string) => (page: Page) =>
  page.getByLabel(label, { exact: true }).first().fill(value, { timeout: 10_000 })

const type = (keys: string) => (page: Page) => page.keyboard.press(keys)

/** A phone has no selection. */
const selectFirst = async (page: Page) => {
  if ((page.viewportSize()?.width ?? 0) > 768) await page.getByRole("checkbox").nth(1).click()
}

/** Dialogs, menus and editors that are opened from a page. */
export const openedOf = (ids: Record<string, string>): Opened[] =>
  everyOpened(ids)
    .filter(([, path]) => !path.includes("undefined"))
    .map(([name, path, ...steps]) => ({ name, path, steps }))

type Line = readonly [name: string, path: string, ...steps: Opened["steps"]]

const everyOpened = (ids: Record<string, string>): readonly Line[] => [
  ["palette", "", type("Control+k")],
  ["thread-reply", `/threads/${ids.thread}`, press("Reply")],
  [
    "palette-search",
    "",
    type("Control+k"),
    (page) => page.getByPlaceholder(/^Search pages/).fill("grace"),
  ],
  ["shortcuts", "", type("?")],
  ["send-email", "/emails?send=true"],
  ["emails-filter", "/emails", press("Filter")],
  ["emails-status", "/emails", press("Filter"), choose("Status")],
  ["emails-filtered", "/emails?q=status%3Abounced+tag%3Akind%3Ainvoice+since%3A2026-01-01"],
  ["emails-selected", "/emails", selectFirst],
  ["emails-export", "/emails", press("Export as CSV")],
  ["email-menu", `/emails/${ids.email}`, press("More")],
  ["email-request", `/emails/${ids.email}`, press("More"), press("As a request")],
  ["recipient-erase", `/recipients/${ids.recipient}`, press("More"), press("Erase address")],
  ["new-key", "/api-keys?new=true"],
  ["key-secret", "/api-keys?new=true", fill("Name", "Shop"), press("Create API key")],
  ["new-domain", "/domains?new=true"],
  ["delete-domain", `/domains/${ids.domain}`, press("More"), press("Delete domain")],
  ["new-inbox", `/domains/${ids.domain}?inbox=new`],
  ["pending-domain", `/domains/${ids.pendingDomain}`],
  ["new-webhook", "/webhooks?new=true"],
  ["webhook-test", `/webhooks/${ids.webhook}?test=true`],
  ["webhook-edit", `/webhooks/${ids.webhook}`, press("Edit")],
  ["webhook-menu", `/webhooks/${ids.webhook}`, press("More")],
  ["webhook-catch-up", `/webhooks/${ids.webhook}`, press("More"), press("Catch up")],
  ["webhook-replay", `/webhooks/${ids.webhook}`, press("More"), press("Replay all failed")],
  ["webhook-rotate", `/webhooks/${ids.webhook}`, press("More"), press("Rotate signing secret")],
  ["webhook-delete", `/webhooks/${ids.webhook}`, press("More"), press("Delete webhook")],
  ["new-suppression", "/suppressions?new=true"],
  ["new-book", "/contacts?new=true"],
  ["edit-book", `/contacts/${ids.book}`, press("More"), press("Edit book")],
  ["delete-book", `/contacts/${ids.book}`, press("More"), press("Delete book")],
  ["export-book", `/contacts/${ids.book}`, press("More"), press("Export as CSV")],
  ["new-contact", `/contacts/${ids.book}?new=true`],
  ["contact", `/contacts/${ids.book}?contact=${ids.contact}`],
  ["new-form", "/forms?new=true"],
  ["form-mail", `/forms/${ids.form}`, press("Confirmation email")],
  ["form-embed", `/forms/${ids.form}`, press("Embed")],
  ["new-segment", "/segments?new=true"],
  ["edit-segment", `/segments/${ids.segment}`, press("Edit segment")],
  ["new-topic", "/topics?new=true"],
  ["new-layout", "/layouts?new=true"],
  ["campaign-preview", `/campaigns/${ids.campaign}`, press("Preview")],
  ["campaign-block", `/campaigns/${ids.campaign}`, press(/^Button, /)],
  ["campaign-add-block", `/campaigns/${ids.campaign}`, press("Add block")],
  ["campaign-review", `/campaigns/${ids.campaign}`, press("Review and send")],
  ["campaign-menu", `/campaigns/${ids.campaign}`, press("More")],
  ["sequence-step", `/sequences/${ids.sequence}`, press("Wait 3 days")],
  ["sequence-try", `/sequences/${ids.sequence}`, press("Try it")],
  ["sequence-people", `/sequences/${ids.sequence}`, press("People")],
  ["sequence-settings", `/sequences/${ids.sequence}`, press("Settings")],
  ["template-test", `/templates/${ids.template}`, press("Send test")],
  ["template-menu", `/templates/${ids.template}`, press("More")],
  ["blocks-settings", `/templates/${ids.templateOfBlocks}?of=blocks`, press(/^Heading, /)],
  ["blocks-preview", `/templates/${ids.templateOfBlocks}?of=blocks`, press("Preview")],
  ["brand", "/settings?tab=Brand", press(/ brand$/)],
  ["delete-team", "/settings?tab=Danger zone", press("Delete team")],
  ["invite", "/team?new=true"],
  ["new-team", "/team?create=true"],
  ["member-menu", "/team", press(/^Actions for /)],
  ["set-up-app", "/account", press("Set up")],
  ["audit-change", "/audit-log", press(/ changed$/)],
  ["second-factor", "/second-factor"],
  ["no-team", "/no-team"],
]
