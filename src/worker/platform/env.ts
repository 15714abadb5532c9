import * as z from "zod"
import { readJson } from "../../lib/json.ts"
import { plainIssue } from "../../lib/plain-issue.ts"
import { rememberFor } from "../../lib/remember.ts"
import { mailbox } from "./http/shapes.ts"

/** The bindings of wrangler.toml. */
export interface Bindings {
  /** The team's database. Without `DATABASE` this is the directory, which is the first database. */
  DB: D1Database
  /** The other databases of an installation that has several. */
  [name: `DB_${number}`]: D1Database | undefined
  /** Both are set where `DB` is another database: see `databaseEnv`. */
  DATABASE?: number
  DIRECTORY?: D1Database
  CONTENT: R2Bucket
  /** Where databases have a jurisdiction that `CONTENT` does not have. */
  CONTENT_EU?: R2Bucket
  CONTENT_US?: R2Bucket
  CONTENT_FEDRAMP?: R2Bucket
  SENDS: Queue
  SENDS_BACKLOG: Queue
  SENDS_BULK: Queue
  OUTCOMES: Queue
  DELIVERIES: Queue
  CAMPAIGNS: Queue
  RECEIVED: Queue
  MINUTES: Queue
  API_RATE_LIMIT: RateLimit
  TEAM_RATE_LIMIT: RateLimit
  FORM_ADDRESS_RATE_LIMIT: RateLimit
  FORM_RATE_LIMIT: RateLimit
  /** Cloudflare Email Service, where it is the provider. */
  EMAIL?: SendEmail
  /** The built dashboard. */
  ASSETS: Fetcher
  TEAM_STREAM: DurableObjectNamespace
  PROVIDER_RATES: DurableObjectNamespace
}

const PROVIDER_NAMES = ["sandbox", "ses", "cloudflare", "smtp"] as const
export type ProviderName = (typeof PROVIDER_NAMES)[number]

const days = (fallback: number) => z.coerce.number().int().min(1).max(3650).default(fallback)

export const JURISDICTIONS = ["eu", "us", "fedramp"] as const
export type Jurisdiction = (typeof JURISDICTIONS)[number]

const databaseList = z
  .string()
  .default("[]")
  .transform((text) => readJson(text))
  .pipe(
    z.array(
      z.object({
        number: z.number().int().positive(),
        jurisdiction: z.enum(JURISDICTIONS).optional(),
      }),
    ),
  )

const oidcProvider = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, "must be a short name in lower case")
    .refine((id) => !["google", "github", "credential"].includes(id), "is taken"),
  name: z.string().min(1).max(50),
  discoveryUrl: z.url({ protocol: /^https$/, error: "must be an https URL" }),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
})
export type OidcProvider = z.output<typeof oidcProvider>

const oidcProviders = z
  .array(oidcProvider)
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, "ids must differ")

/** The settings: variables and secrets of the Worker. A setting without a default is required. */
export const settingsSchema = z.object({
  /**
   * Where mail goes: `sandbox` keeps it in the test inbox, nothing leaves the machine; `ses` is
   * Amazon SES; `cloudflare` is Cloudflare Email Service, through the binding `EMAIL`; `smtp`
   * hands it to the server of the SMTP settings.
   */
  PROVIDER: z.enum(PROVIDER_NAMES).default("sandbox"),
  /** Where campaign mail goes instead: `cloudflare` takes transactional mail only. */
  BULK_PROVIDER: z.enum(PROVIDER_NAMES).optional(),
  /**
   * A provider to move to: domains are verified with it, too. Once they are, make it `PROVIDER` and
   * remove this setting.
   */
  NEXT_PROVIDER: z.enum(PROVIDER_NAMES).optional(),
  /**
   * Messages a second that the provider takes; recipients a second for Amazon SES. Transactional mail
   * goes first, campaigns get the rest. Default: the quota of the Amazon SES account; other providers
   * have no limit.
   */
  SEND_RATE: z.coerce.number().positive().optional(),
  /** The same for `BULK_PROVIDER`, if it is another provider. */
  BULK_SEND_RATE: z.coerce.number().positive().optional(),
  /** Hours after its due time, or a campaign's first attempt, until an email fails that the provider never took. */
  SEND_GIVE_UP_HOURS: z.coerce
    .number()
    .positive()
    .max(24 * 30)
    .default(72),
  /** The region of Amazon SES and SNS. */
  AWS_REGION: z
    .string()
    .regex(/^[a-z]{2,3}(-[a-z]+)+-\d+$/)
    .default("us-east-1"),
  /** Credentials of an AWS user that may call SES. */
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  /** The SES configuration set that publishes delivery events; `npm run setup:ses` makes it. */
  SES_CONFIGURATION_SET: z.string().default("edgepost"),
  /** The SNS topics whose messages are accepted, separated by commas. Default: none. */
  SES_TOPIC_ARNS: z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((arn) => arn.trim() || [])),
  /** Where SES answers, if not at `https://email.<region>.amazonaws.com`. */
  SES_ENDPOINT: z.url().optional(),
  /**
   * A Cloudflare API token with Zone Read, DNS Edit and, for `cloudflare`, Email Sending Edit. For
   * receiving by `routing`, also Zone Settings Edit and Email Routing Rules Edit. It writes the DNS
   * records of domains in the account's zones, so a full key of any team can then send from those
   * zones, and take the mail of domains that it has verified.
   */
  CLOUDFLARE_API_TOKEN: z.string().optional(),
  /** Where Cloudflare's API answers. */
  CLOUDFLARE_API_URL: z.url().default("https://api.cloudflare.com/client/v4"),
  /** The name of this Worker, to which Email Routing leads mail. `npm run deploy` writes it. */
  WORKER_NAME: z.string().default("edgepost"),
  /** The SMTP server's name. Workers reach no port 25 and no private network. */
  SMTP_HOST: z.string().optional(),
  /** By default 587, and 465 with `SMTP_SECURITY=tls`. */
  SMTP_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** Without a username there is no authentication. */
  SMTP_USERNAME: z.string().optional(),
  /** A secret: it is in no log and no error. */
  SMTP_PASSWORD: z.string().optional(),
  /** `starttls` demands an upgrade, `tls` begins encrypted, `none` is for local servers only. */
  SMTP_SECURITY: z.enum(["starttls", "tls", "none"]).default("starttls"),
  /**
   * `false` where mail to the addresses `b+…` and `u+…` below `in.` and this installation's host does not
   * reach the Worker: docs/receiving.md has the steps. They take bounces of mail by SMTP, and unsubscriptions.
   */
  REPORTS_BY_MAIL: z.stringbool().default(true),
  /**
   * The URL of this installation, for links in mail. Default: where it was claimed. The dashboard's
   * cookie is Secure unless this is http on localhost.
   */
  BASE_URL: z.url().transform((url) => url.replace(/\/+$/, "")),
  /**
   * Secrets of 32 characters or more, random, separated by commas: the first signs the links in
   * mail and the sessions, the others still verify. Default of this and the next two: the Worker makes
   * them once, and keeps them in the bucket.
   */
  SIGNING_KEY: z.string().min(32),
  /**
   * Secrets that encrypt what the database must not show: `id:base64` of 32 random bytes each,
   * separated by commas. The first encrypts; the others still decrypt.
   */
  ENCRYPTION_KEYS: z
    .string()
    .regex(/^[A-Za-z0-9_-]+:[A-Za-z0-9+/]{43}=(,[A-Za-z0-9_-]+:[A-Za-z0-9+/]{43}=)*$/),
  /**
   * A secret of 32 characters or more, random, with which erased addresses are hashed. It never
   * changes: with another key, an erased address could get mail again.
   */
  ERASURE_KEY: z.string().min(32),
  /**
   * A secret that claims the installation, once, while no person exists. Default: the Worker's log
   * shows a code when somebody opens `/dashboard/claim`.
   */
  CLAIM_CODE: z.string().min(16).max(100).optional(),
  /**
   * The sender of the service's own mail: invitations and links that set a new password. Without a
   * sender, that mail comes from `no-reply@` the oldest verified domain of the team.
   */
  SYSTEM_FROM: mailbox.optional(),
  /** Days until a session of the dashboard ends, however much it is used. */
  SESSION_DAYS: days(7),
  /** Hours without use until a session ends. */
  SESSION_IDLE_HOURS: z.coerce.number().int().min(1).max(8760).default(24),
  /** An OAuth client of Google: with both, people may sign in through Google. */
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  /** The same for GitHub. The callback is `<BASE_URL>/dashboard/auth/callback/github`. */
  GITHUB_CLIENT_ID: z.string().optional(),
  GITHUB_CLIENT_SECRET: z.string().optional(),
  /**
   * Providers of OpenID Connect that people may sign in through, as a JSON list of
   * `{"id","name","discoveryUrl","clientId","clientSecret"}`. `name` is on the button. The callback is
   * `<BASE_URL>/dashboard/auth/callback/<id>`. It has secrets, so keep it as a secret of the Worker.
   */
  OIDC_PROVIDERS: z
    .string()
    .default("[]")
    .transform((text, ctx) => {
      try {
        return JSON.parse(text)
      } catch {
        ctx.addIssue("must be a JSON list")
        return z.NEVER
      }
    })
    .pipe(oidcProviders),
  /** Days until an email's html, text, headers and attachments are purged, and dead letters. */
  CONTENT_RETENTION_DAYS: days(30),
  /** Days until an email's record and timeline are purged. */
  RECORD_RETENTION_DAYS: days(90),
  /** A secret of 32 characters or more: with it, `GET /metrics` answers OpenMetrics. */
  METRICS_TOKEN: z.string().min(32).optional(),
  /** `true` lets webhooks lead to http URLs and private addresses: for local work only. */
  WEBHOOK_ALLOW_PRIVATE: z.stringbool().default(false),
  /** Pending deliveries of a webhook. Beyond them, its events wait in the log. */
  WEBHOOK_PENDING_LIMIT: z.coerce.number().int().min(100).default(10_000),
  /**
   * The jurisdictions of the databases, as JSON: `[{"number":2,"jurisdiction":"eu"}]`. The deployment
   * writes it. A database that is not listed has none.
   */
  DATABASES: databaseList,
  /** Who answers DNS look-ups: a server of the JSON dialect of DNS over HTTPS. */
  DNS_OVER_HTTPS_URL: z.url().default("https://cloudflare-dns.com/dns-query"),
})

export type Settings = z.output<typeof settingsSchema>
export type Env = Bindings & { [Name in keyof Settings]?: string }

export const readSettings = rememberFor((env: Env): Settings => {
  const parsed = settingsSchema.safeParse(env, { error: plainIssue })
  if (!parsed.success) throw new Error(`Settings: ${z.prettifyError(parsed.error)}`)
  return parsed.data
})
