import type { NoticeAbout, NoticeKind } from "./table.ts"

interface Mail {
  subject: string
  text: string
}

/** The database is given where the installation has several. */
type About = NoticeAbout & { database?: number }

type Write = (about: About, dashboard: string) => Mail

const percent = ({ percent = 0 }: NoticeAbout) => `${percent}%`

const nameDatabase = ({ database }: About) =>
  database === undefined ? "The database" : `Database ${database}`

const ofDatabase = ({ database }: About) =>
  database === undefined ? "" : ` of database ${database}`

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
  provider_paused: (about, dashboard) => ({
    subject: `The provider '${about.name}' is not accepting email`,
    text: `The provider '${about.name}' has not accepted email for 15 minutes. Check its status page, and your
credentials, quota and account.

Emails${ofDatabase(about)} wait until the provider accepts email again. They fail after SEND_GIVE_UP_HOURS
(72 hours by default).
View the waiting emails and the provider's answers:
${dashboard}/emails?status=sending`,
  }),
  database_almost_full: (about) => ({
    subject: `${nameDatabase(about)} is ${percent(about)} full`,
    text: `${nameDatabase(about)} holds ${percent(about)} of the 10 GB that D1 allows. When it is full, no
email is accepted.

Shorten RECORD_RETENTION_DAYS or CONTENT_RETENTION_DAYS and deploy again. Older data is deleted within
minutes.`,
  }),
}

export const writeNotice = (kind: NoticeKind, about: About, baseUrl: string): Mail =>
  TEXTS[kind](about, `${baseUrl}/dashboard`)
