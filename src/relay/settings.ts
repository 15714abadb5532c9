import { hostname } from "node:os"
import * as z from "zod"

/** 0 means any free port. The log shows the port. */
const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback)
const count = (fallback: number) => z.coerce.number().int().min(1).max(100_000).default(fallback)

/** The settings of the SMTP relay: variables of its process. */
export const relaySettings = z
  .object({
    /** The URL of Edgepost: the setting `BASE_URL` of the Worker. */
    SVC_BASE_URL: z.url({ protocol: /^https?$/ }),
    /** The port for STARTTLS. Publish it as port 587. */
    SMTP_PORT: port(2587),
    /** The port for TLS from the start. Publish it as port 465. */
    SMTPS_PORT: port(2465),
    /**
     * The certificate with its chain, and its private key: PEM files. SIGHUP reads them again.
     * Without them the relay makes a certificate at its start that no client trusts by itself.
     */
    SMTP_TLS_CERT: z.string().min(1).optional(),
    SMTP_TLS_KEY: z.string().min(1).optional(),
    /** The name of the relay, also in a certificate that it makes itself. */
    RELAY_NAME: z.string().min(1).default(hostname),
    /** The address that the relay listens on. Default: all addresses of the machine. */
    RELAY_LISTEN: z.string().min(1).optional(),
    /** The port of `GET /health`, over HTTP. */
    RELAY_HEALTH_PORT: port(2580),
    /** How many connections may be open, in total and by client address (a /64 for IPv6). */
    RELAY_MAX_CONNECTIONS: count(1000),
    RELAY_MAX_CONNECTIONS_PER_ADDRESS: count(300),
    /**
     * How many messages of more than 64 KiB are in hand at once, each with up to 80 MiB of memory.
     * The others wait up to a minute. One team has at most half of them.
     */
    RELAY_MAX_LARGE_MESSAGES: count(4),
  })
  .refine((all) => !all.SMTP_TLS_CERT === !all.SMTP_TLS_KEY, {
    path: ["SMTP_TLS_KEY"],
    message: "SMTP_TLS_CERT and SMTP_TLS_KEY go together",
  })

export type RelaySettings = z.output<typeof relaySettings>
