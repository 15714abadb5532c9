import type { DkimCheck } from "./verify.ts"

const SENDER_STATES = ["verified", "unverified", "failed"] as const
type SenderState = (typeof SENDER_STATES)[number]

/**
 * Whether a signature proves the domain of `From`: its domain and this one have one organisational domain.
 * `failed`: such a signature was checked with its key, and none holds.
 */
export function senderState(fromDomain: string, checks: readonly DkimCheck[]): SenderState {
  const own = organizationalDomain(fromDomain)
  const results = checks
    .filter(({ domain }) => organizationalDomain(domain) === own)
    .map(({ result }) => result)
  if (results.includes("pass")) return "verified"
  return results.includes("fail") && !results.includes("temperror") ? "failed" : "unverified"
}

/** Names below a country that registries sell or give to others. */
const GENERIC = new Set(
  "ac ad biz co com ed edu firm gen go gob gouv gov gv id in ind inf info int ltd me mil mod mus name ne net nhs nom or org oth plc police press pro rec sch school store tm web".split(
    " ",
  ),
)

/** Names whose owners let anybody publish DNS records or pages below them. */
const SHARED = new Set(
  [
    "ae.org ar.com br.com cn.com co.com com.de com.se de.com eu.com eu.org gb.net gr.com hu.com hu.net in.net jp.net",
    "jpn.com mex.com ru.com sa.com se.net uk.com uk.net us.com us.org us.kg za.bz za.com js.org is-a.dev pp.ua",
    "ddns.net duckdns.org dyndns.org dynu.net freeddns.org hopto.org mooo.com myftp.org no-ip.org servehttp.com sytes.net zapto.org",
    "appspot.com azurewebsites.net blogspot.com cloudfront.net firebaseapp.com fly.dev github.io gitlab.io herokuapp.com",
    "netlify.app ngrok.io onrender.com pages.dev vercel.app web.app workers.dev wordpress.com",
  ].flatMap((names) => names.split(" ")),
)

/**
 * The domain that was registered: `example.co.uk` of `news.example.co.uk`. The whole public suffix list would
 * take 48 KB of the Worker, so this knows the names below countries that are in use, and well-known shared ones.
 */
export function organizationalDomain(domain: string): string {
  const labels = domain.split(".")
  const [second = "", top = ""] = labels.slice(-2)
  const isBelowCountry = top.length === 2 && (GENERIC.has(second) || second.length < 3)
  const isSuffix = isBelowCountry || SHARED.has(`${second}.${top}`)
  return labels.slice(isSuffix ? -3 : -2).join(".")
}
