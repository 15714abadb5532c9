import { eq } from "drizzle-orm"
import type { Work } from "../../../platform/context.ts"
import { ApiError, notFound } from "../../../platform/http/errors.ts"
import { createAuth, socialProviders } from "../auth.ts"
import { sessionCookieName } from "../sessions/session-cookie.ts"
import { sessions, users } from "../table.ts"
import { countCall } from "./attempts.ts"
import { noteSignIn } from "./sign-in.ts"
import type { Visitor } from "./visit.ts"
import type { SOCIAL_ERRORS, SocialProvider } from "./visitors-contract.ts"

const AFTERWARDS = "/dashboard"
const SIGN_IN_PAGE = "/dashboard/sign-in"

export async function startSocialSignIn({ work, headers, ip }: Visitor, provider: string) {
  await countCall(work, ip)
  const oidc = findOidc(work, provider)
  if (!oidc && !Object.hasOwn(socialProviders(work.settings), provider)) throw notFound("Provider")
  const auth = await createAuth(work, undefined, oidc)
  const { headers: cookies, response } = await auth.api
    .signInSocial({
      body: {
        provider: provider as SocialProvider,
        callbackURL: AFTERWARDS,
        errorCallbackURL: SIGN_IN_PAGE,
        disableRedirect: true,
      },
      headers,
      returnHeaders: true,
    })
    .catch((error: unknown) => {
      throw oidc && isMissing(error)
        ? new ApiError("unavailable", `${oidc.name} does not answer. Try again later.`)
        : error
    })
  return { body: { url: response.url ?? "" }, headers: cookies }
}

const findOidc = ({ settings }: Work, provider: string) =>
  settings.OIDC_PROVIDERS.find(({ id }) => id === provider)

/** The library leaves out a provider whose addresses it could not read. */
const isMissing = (error: unknown) =>
  typeof error === "object" && error !== null && "statusCode" in error && error.statusCode === 404

/** The provider redirects to this call, which always redirects to a page of the dashboard. */
export async function finishSocialSignIn(
  { work, headers, ip }: Visitor,
  provider: string,
  request: Request,
) {
  await countCall(work, ip)
  const auth = await createAuth(work, undefined, findOidc(work, provider))
  const asked = new URL(request.url)
  const { origin } = new URL(work.settings.BASE_URL)
  const reply = await auth.handler(
    new Request(`${origin}${asked.pathname}${asked.search}`, { headers }),
  )
  const leads = URL.parse(reply.headers.get("location") ?? "", origin)
  const token = sessionTokenIn(reply.headers, sessionCookieName(work.settings))
  const isDone = leads?.pathname === AFTERWARDS && !leads.searchParams.has("error") && token
  const location = isDone
    ? AFTERWARDS
    : `${SIGN_IN_PAGE}?error=${errorOf(leads?.searchParams.get("error"))}`
  if (isDone) {
    const [user] = await work.db
      .select({ id: users.id, email: users.email, name: users.name })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(eq(sessions.token, token))
    if (user) await noteSignIn(work, user, headers)
  }
  const answer = new Headers({ location, "cache-control": "no-store" })
  for (const cookie of reply.headers.getSetCookie()) answer.append("set-cookie", cookie)
  return new Response(null, { status: 302, headers: answer })
}

const ERRORS: Record<string, (typeof SOCIAL_ERRORS)[number]> = {
  account_not_linked: "email_not_verified",
  unable_to_create_user: "no_account",
  signup_disabled: "no_account",
}

const errorOf = (code: string | null | undefined) => ERRORS[code ?? ""] ?? "refused"

function sessionTokenIn(headers: Headers, name: string): string | null {
  const cookie = headers.getSetCookie().find((one) => one.startsWith(`${name}=`))
  const value = cookie?.slice(name.length + 1).split(";")[0]
  return value ? (decodeURIComponent(value).split(".")[0] ?? null) : null
}
