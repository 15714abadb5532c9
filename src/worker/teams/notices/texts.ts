import type { NoticeAbout, NoticeKind } from "./table.ts"

interface Mail {
  subject: string
  text: string
}

type Write = (about: NoticeAbout, dashboard: string) => Mail

const percent = ({ percent = 0 }: NoticeAbout) => `${percent}%`

const TEXTS: Record<NoticeKind, Write> = {
  webhook_disabled: ({ id }, dashboard) => ({
    subject: "Webhook disabled",
    text: `The webhook ${id} failed for 24 hours, so it was disabled and its pending deliveries were
dropped.

Fix your server, enable the webhook and replay the failed deliveries:
${dashboard}/webhooks/${id}`,
  }),
  domain_demoted: ({ id, name }, dashboard) => ({
    subject: `The domain ${name} is no longer verified`,
    text: `A DNS record of ${name} is missing. Email from this domain is refused until the record is
back. It is checked every two minutes for 72 hours.

View the records:
${dashboard}/domains/${id}`,
  }),
  bounce_rate: (about, dashboard) => ({
    subject: `${percent(about)} of your email bounced`,
    text: `${percent(about)} of your email bounced in the last 24 hours. Providers review senders above 4%
and stop them above 5%.

Stop sending to people who did not ask for your email recently. View the bounced emails:
${dashboard}/emails?status=bounced`,
  }),
  complaint_rate: (about, dashboard) => ({
    subject: `${percent(about)} of your email was reported as spam`,
    text: `Recipients reported ${percent(about)} of your email as spam in the last 24 hours. Providers review
senders above 0.08% and stop them above 0.1%.

View the reported emails:
${dashboard}/emails?status=complained`,
  }),
  dead_letters: ({ count }) => ({
    subject: "Queue messages need attention",
    text: `${count} messages failed repeatedly and were set aside. List them, fix the cause, then replay
them:

npm run dead-letters -- --remote
npm run dead-letters -- replay all --remote`,
  }),
  provider_paused: ({ name }, dashboard) => ({
    subject: `The provider '${name}' is not accepting email`,
    text: `The provider '${name}' has not accepted email for 15 minutes. Check its status page, and your
credentials, quota and account.

Emails wait until the provider accepts email again. They fail after 72 hours (SEND_GIVE_UP_HOURS).
View the waiting emails and the provider's answers:
${dashboard}/emails?status=sending`,
  }),
  database_almost_full: (about) => ({
    subject: `The database is ${percent(about)} full`,
    text: `The database holds ${percent(about)} of the 10 GB that D1 allows. When it is full, no
email is accepted.

Shorten RECORD_RETENTION_DAYS or CONTENT_RETENTION_DAYS and deploy again. Older data is deleted within
minutes.`,
  }),
}

export const writeNotice = (kind: NoticeKind, about: NoticeAbout, baseUrl: string): Mail =>
  TEXTS[kind](about, `${baseUrl}/dashboard`)
