import type { NoticeAbout, NoticeKind } from "./table.ts"

interface Mail {
  subject: string
  text: string
}

type Write = (about: NoticeAbout, dashboard: string) => Mail

const percent = ({ percent = 0 }: NoticeAbout) => `${percent} %`

const TEXTS: Record<NoticeKind, Write> = {
  webhook_disabled: ({ id }, dashboard) => ({
    subject: "A webhook was disabled",
    text: `The webhook ${id} got no successful reply for 24 hours, so it was disabled. Its pending
deliveries were given up.

Mend the receiver, enable the webhook and replay what failed:
${dashboard}/webhooks/${id}`,
  }),
  domain_demoted: ({ id, name }, dashboard) => ({
    subject: `The domain ${name} is no longer verified`,
    text: `A record that proves ${name} is missing. Mail from this domain is refused until the
record is back; it is looked for every two minutes, for 72 hours.

The records:
${dashboard}/domains/${id}`,
  }),
  bounce_rate: (about, dashboard) => ({
    subject: `${percent(about)} of the mail bounced`,
    text: `In the last 24 hours ${percent(about)} of the mail bounced. Providers review a sender from
4 % on, and stop it from 5 % on.

Stop mailing lists that were not asked for lately. Which mail bounced, and why:
${dashboard}/emails?status=bounced`,
  }),
  complaint_rate: (about, dashboard) => ({
    subject: `${percent(about)} of the mail was reported as spam`,
    text: `In the last 24 hours recipients reported ${percent(about)} of the mail as spam. Providers
review a sender from 0.08 % on, and stop it from 0.1 % on.

Which mail it was:
${dashboard}/emails?status=complained`,
  }),
  dead_letters: ({ count }) => ({
    subject: "Messages of a queue wait for a person",
    text: `${count} messages failed again and again, so they were put aside. This lists them, and puts
them back once the cause is mended:

npm run dead-letters -- --remote
npm run dead-letters -- replay all --remote`,
  }),
  provider_paused: ({ name }, dashboard) => ({
    subject: `The provider '${name}' accepts no mail`,
    text: `The provider '${name}' has accepted no mail for 15 minutes. It does not answer, or it refuses
this installation: check its status page, the credentials, the quota and the account.

Mail waits and goes out when the provider accepts mail again. An email fails when it is 72 hours late
(SEND_GIVE_UP_HOURS). What the provider answered stands in each email's explanation:
${dashboard}/emails?status=sending`,
  }),
  database_almost_full: (about) => ({
    subject: `The database is ${percent(about)} full`,
    text: `The database holds ${percent(about)} of the 10 GB that D1 allows. When it is full, no
email is accepted any more.

Shorten RECORD_RETENTION_DAYS or CONTENT_RETENTION_DAYS and deploy again: what is older is purged
within minutes.`,
  }),
}

export const writeNotice = (kind: NoticeKind, about: NoticeAbout, baseUrl: string): Mail =>
  TEXTS[kind](about, `${baseUrl}/dashboard`)
