import { describe, expect, it } from "vitest"
import {
  combine,
  createReader,
  findConsentColumns,
  valuesOf,
} from "../../src/lib/consent/columns.ts"
import type { ConsentMeaning } from "../../src/lib/consent/meanings.ts"

const find = (header: string, values: string[]) =>
  findConsentColumns(
    [header],
    values.map((value) => [value]),
  )[0]

const read = (header: string, ...values: string[]) => {
  const column = find(header, values)
  return column && values.map(column.read)
}

const [yes, no, unknown] = ["subscribed", "unsubscribed", null] as const

describe("a column of consent", () => {
  it.each([
    ["unsubscribed", ["true", "false", ""], [no, yes, yes]],
    ["opt_out", ["1", "0"], [no, yes]],
    ["HasOptedOutOfEmail", ["1", "0"], [no, yes]],
    ["do_not_email", ["x", ""], [no, yes]],
    ["no_mail", ["yes", "no"], [no, yes]],
    ["Don't send newsletters", ["Y", "N"], [no, yes]],
    ["EMAIL_BLACKLISTED", ["Yes", "No"], [no, yes]],
    ["Email Suppressions", ['["UNSUBSCRIBE"]', ""], [no, yes]],
    ["Email disabled", ["true", "false"], [no, yes]],
    ["global_unsub", ["1"], [no]],
    ["not_confirmed", ["1", "0"], [no, yes]],
    ["Suspended", ["true", "false"], [no, yes]],
    ["Newsletter abbestellt", ["WAHR", "FALSCH"], [no, yes]],
    ["Keine Werbung?", ["ja", "nein"], [no, yes]],
    ["Désabonné", ["oui", "non"], [no, yes]],
    ["Ne pas envoyer de publicité ?", ["oui", "non"], [no, yes]],
    ["¿No enviar publicidad?", ["sí", "no"], [no, yes]],
    ["Dado de baja", ["sí"], [no]],
    ["Disiscritto", ["vero"], [no]],
    ["Uitgeschreven", ["ja"], [no]],
    ["Отписан", ["да", "нет"], [no, yes]],
    ["メール配信停止", ["はい"], [no]],
    ["Einwilligung widerrufen?", ["ja", "nein"], [no, yes]],
  ])("turns a yes around: %s", (header, values, meanings) => {
    expect(read(header, ...values)).toEqual(meanings)
  })

  it.each([
    ["unsubscribed_at", "2024-03-13 11:33:53 UTC"],
    ["UNSUB_TIME", "2023-07-23 12:19:27"],
    ["Unsubscribed", "13.03.2024"],
    ["Fecha de baja", "01/02/2023"],
    ["Stop Time", "Mar 3, 2023"],
    ["cancelled_at", "1710329633"],
    ["expired_at", "2024-01-15"],
    ["deleted_at", "2024-01-15T10:00:00.000Z"],
    ["Unsubscribe reason", "Too many mails"],
    ["unsubscribe_count", "2"],
  ])("has a no in a filled cell of leaving: %s, %s", (header, value) => {
    expect(read(header, value, "")).toEqual([no, yes])
  })

  it.each([
    ["subscribed_to_emails", ["true", "false", ""], [yes, no, unknown]],
    ["Accepts Email Marketing", ["yes", "no"], [yes, no]],
    ["Newsletter", ["Ja", "Nein", "vielleicht"], [yes, no, unknown]],
    ["Subscriber status", ["1", "2"], [unknown, unknown]],
    ["DOUBLE_OPT-IN", ["1", "2"], [yes, unknown]],
    ["OPTIN_TIME", ["2021-02-05 19:28:23", ""], [yes, unknown]],
    ["Wants newsletter", ["Never"], [no]],
    ["Ok to mail?", ["Y", "N"], [yes, no]],
    ["Email product updates", ["Y", "N"], [yes, no]],
    ["Opt-in state", ["Y", "N"], [yes, no]],
    ["Do you agree to marketing?", ["yes", "no"], [yes, no]],
    ["¿Acepta publicidad?", ["sí", "no"], [yes, no]],
    ["Подписан на рассылку", ["да", "нет"], [yes, no]],
    ["Email marketing", ["Subscribed", "Not subscribed"], [yes, no]],
    ["optInStatus", ["accepted", "pending", "rejected"], [yes, no, no]],
  ])("has a yes: %s", (header, values, meanings) => {
    expect(read(header, ...values)).toEqual(meanings)
  })

  it.each([
    ["active", yes],
    ["Subscribed", yes],
    ["opted-in", yes],
    ["enabled", yes],
    ["abonniert", yes],
    ["cancelled", no],
    ["inactive", no],
    ["pending", no],
    ["blocklisted", no],
    ["NEVER_SUBSCRIBED", no],
    ["not subscribed", no],
    ["Non-subscribed", no],
    ["Unconfirmed", no],
    ["Awaiting confirmation", no],
    ["Temp hold", no],
    ["No permission set", no],
    ["Removed", no],
    ["abgemeldet", no],
    ["désabonnée", no],
    ["dado de baja", no],
    ["Soft bounced", no],
    ["bounced", "bounced"],
    ["Cleaned", "bounced"],
    ["unzustellbar", "bounced"],
    ["complained", "complained"],
    ["Marked as spam", "complained"],
    ["customer", unknown],
    ["1", unknown],
    ["true", unknown],
    ["", unknown],
    ["2024-01-01", unknown],
    ["somebody@left.example", unknown],
  ])("has states: %s", (value, meaning) => {
    expect(createReader("status", "status")(value)).toBe(meaning)
  })

  it.each(["status", "Email status", "Subscriber State", "Marketing contact status", "Statut"])(
    "may be named %s",
    (header) => {
      expect(read(header, "whatever")).toEqual([unknown])
    },
  )

  it.each([
    ["Kind", ["customers", "unsubscribed"], [unknown, no]],
    ["State", ["Active", "Bounced"], [yes, "bounced"]],
    ["Tags", ["vip,unsubscribed", "vip"], [no, yes]],
    ["type", ["regular", "unactivated", "unsubscribed"], [unknown, no, no]],
    ["Notes", ["", "", "unsubscribed", "", "likes cats"], [yes, yes, no, yes, yes]],
  ])("is found by its values: %s", (header, values, meanings) => {
    expect(read(header, ...values)).toEqual(meanings)
  })

  it.each([
    ["City", ["Y", "N"]],
    ["State", ["CA", "NY"]],
    ["Lead Status", ["Open", "Closed"]],
    ["SMS Marketing Consent", ["SUBSCRIBED", "UNSUBSCRIBED"]],
    ["SMS_BLACKLISTED", ["Yes"]],
    ["Subscription plan", ["Pro", "Free"]],
    ["OPTIN_IP", ["192.0.2.1"]],
    ["Newsletter clicks", ["1", "0", "12"]],
    ["Mailing City", ["Rome"]],
    ["Mailing State/Province", ["NE", "TX", "ON"]],
    ["Mailing Country", ["NO", "DE"]],
    ["Subscriber country", ["NO", "DE"]],
    ["newsletter_language", ["de", "no"]],
    ["contact_id", ["0", "1", "2"]],
    ["Contact: First Name", ["Ann", "Si"]],
    ["unsubscribe_token", ["a8f7", "b9c1"]],
    ["unsubscribe_url", ["https://x.example/u/1"]],
    ["subscription_key", ["a8f7", "b9c1"]],
    ["No. of emails sent", ["0", "5", "12"]],
    ["Membership expires", ["2027-01-31", "2031-01-31"]],
    ["expiry_date", ["31.01.2027"]],
    ["Customer No", ["12"]],
    ["complimentary_plan", ["true", "false"]],
    ["E-mail 2 Address", ["ann@left.example"]],
    ["Website", ["https://unsubscribed.example"]],
    ["Unsubscribed", ["", ""]],
  ])("is none: %s", (header, values) => {
    expect(find(header, values)).toBeUndefined()
  })

  it("of bounces or complaints has that reason", () => {
    expect(read("IsEmailBounced", "true", "false")).toEqual(["bounced", yes])
    expect(read("Spam complaint", "2024-01-01")).toEqual(["complained"])
  })

  it("stays one with a single cell that nobody knows", () => {
    expect(read("Email opt-in status", "yes", "no", "unknown")).toEqual([yes, no, unknown])
  })
})

describe("the values of a column", () => {
  it("are listed with their counts, and dates together", () => {
    const column = createReader("status", "status")
    expect(valuesOf(column, ["active", "Active ", "gone", "2024-01-01", "2024-01-02"])).toEqual([
      { value: "active", count: 2, meaning: yes },
      { value: "gone", count: 1, meaning: unknown },
      { value: "*", count: 2, example: "2024-01-01", meaning: unknown },
    ])
  })

  it("beyond twenty have a meaning together only if it is the same", () => {
    const values = Array.from({ length: 30 }, (_, index) => `Reason ${index}`)
    expect(valuesOf(createReader("Unsubscribe reason", "against"), values).at(-1)).toEqual(
      expect.objectContaining({ value: "*", count: 10, meaning: no }),
    )
    const mixed = [...values, "unsubscribed"]
    expect(valuesOf(createReader("Status", "status"), mixed).at(-1)?.meaning).toBe(unknown)
  })
})

it.each<[(ConsentMeaning | null)[], ConsentMeaning | null]>([
  [[yes, no], no],
  [[yes, "bounced", no], "bounced"],
  [["bounced", "complained"], "complained"],
  [["skip", no], no],
  [["skip", yes], "skip"],
  [[yes, unknown], unknown],
  [[yes, yes], yes],
  [[], unknown],
])("columns say together: %j is %s", (meanings, together) => {
  expect(combine(meanings)).toBe(together)
})

it("a header of two million characters is read at its start", () => {
  const [start, end] = ["opted out ", "consent ".repeat(250_000)]
  expect(read(start + end, "yes", "no")).toEqual(["unsubscribed", "subscribed"])
  expect(find(end, ["yes", "no"])?.read("yes")).toBe("subscribed")
})
