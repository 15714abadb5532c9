import type { Context, Hono } from "hono"
import { isId } from "../../../lib/id.ts"
import { cutNetwork } from "../../../lib/network.ts"
import { limitForm } from "../../access/rate-limit.ts"
import { keepPrivate, languageOf, setPolicy } from "../../contacts/links/public-call.ts"
import {
  type ApiError,
  ERROR_STATUS,
  invalid,
  invalidIssues,
  notFound,
  onError,
  toApiError,
} from "../../platform/http/errors.ts"
import { parseJson, readBody } from "../../platform/http/input/body.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { followTeamOfLink } from "../../teams/moving/team-database.ts"
import { type FormFacts, readFormFacts, readShownForm } from "../facts.ts"
import { ADDRESS_FIELD, HONEYPOT, TURNSTILE_FIELD } from "../field-names.ts"
import { workOfForm } from "../find-database.ts"
import { addressIn, type Posted, readSubmission } from "../read-submission.ts"
import { submit } from "../submit.ts"
import { checkTurnstile } from "../turnstile.ts"
import { closedPage, donePage, formPage, notSentPage, type ShownForm } from "./page.ts"

const PATH = "/f/:id"

const MAX_BYTES = 64 * 1024
const PREFLIGHT_SECONDS = 600

/** What every post is answered, whoever has the address. */
const ACCEPTED = { accepted: true }

/** The page of a form, and where its posts arrive. */
export function hostedRoutes(app: Hono<HttpEnv>): void {
  app.use(PATH, keepPrivate)

  app.get(PATH, async (c) => {
    const shown = await readShown(c)
    if (!shown) return c.html(closedPage(languageOf(c)), 404)
    allow(c, shown)
    return c.html(formPage(languageOf(c), shown))
  })

  app.options(PATH, async (c) => {
    const shown = await readShown(c)
    if (!shown) throw notFound("Form")
    allowOrigin(c, shown.form.origins)
    c.header("access-control-allow-methods", "POST")
    c.header("access-control-allow-headers", "content-type")
    c.header("access-control-max-age", String(PREFLIGHT_SECONDS))
    return c.body(null, 204)
  })

  app.post(PATH, async (c) => {
    const isForm = !isJson(c)
    try {
      return await post(c, isForm)
    } catch (error) {
      const known = toApiError(error as Error)
      if (ERROR_STATUS[known.code] >= 500 && known.code !== "unavailable") throw error
      if (isForm) return showError(c, known)
      // The form's sites may not be known yet, and a script has to read when to try again.
      if (known.code !== "validation_error") c.header("access-control-allow-origin", "*")
      return onError(known, c)
    }
  })
}

type Call = Context<HttpEnv, typeof PATH>

async function post(c: Call, isForm: boolean): Promise<Response> {
  const id = c.req.param("id")
  if (!isId("form", id)) throw notFound("Form")
  const ip = c.req.header("cf-connecting-ip")
  await limitForm(c.env, id, ip)
  const posted = isForm ? await readFields(c.req.raw) : await readObject(c.req.raw)
  const work = await workOfForm(createWork(c.env, c.executionCtx), id)
  const email = addressIn(posted)
  const facts = await readFormFacts(work, id, email ?? "")
  const shown = toShown(facts)
  if (!shown) throw notFound("Form")
  allowOrigin(c, shown.form.origins)
  const read = readSubmission(shown.form.fields, posted)
  if (!read.ok) {
    // The page of a form with Turnstile shows no fields.
    if (!isForm || shown.form.turnstileSecret) throw invalidIssues(read.issues)
    allow(c, shown)
    return c.html(formPage(languageOf(c), shown, { posted, issues: read.issues }), 400)
  }
  if (email === null) throw invalid([ADDRESS_FIELD], "Must be an email address")
  const isProgram = Boolean(posted[HONEYPOT])
  if (!isProgram) {
    await checkTurnstile(work, shown.form, posted[TURNSTILE_FIELD], ip)
    const network = ip ? cutNetwork(ip) : null
    const submission = { formId: id, email, submitted: read.submitted, network }
    await followTeamOfLink(work, shown.form.teamId, (there) =>
      submit(there, submission, there === work ? facts : undefined),
    )
  }
  if (!isForm) return c.json(ACCEPTED, 202)
  if (shown.form.doneUrl) return c.redirect(shown.form.doneUrl, 303)
  allow(c, shown)
  return c.html(donePage(languageOf(c), shown), 202)
}

type Shown = ShownForm & { form: NonNullable<FormFacts["form"]> }

async function readShown(c: Call): Promise<Shown | null> {
  const id = c.req.param("id")
  if (!isId("form", id)) return null
  const work = await workOfForm(createWork(c.env, c.executionCtx), id)
  return toShown(await readShownForm(work, id))
}

const toShown = ({ form, sender }: Pick<FormFacts, "form" | "sender">): Shown | null =>
  form?.enabled && sender ? { form, sender } : null

const allow = (c: Call, { form, sender }: Shown) =>
  setPolicy(c, { target: form.doneUrl, image: sender.brand?.logoUrl })

function allowOrigin(c: Call, origins: readonly string[]): void {
  c.header("vary", "origin")
  const origin = c.req.header("origin")
  if (origin && origins.includes(origin)) c.header("access-control-allow-origin", origin)
}

function showError(c: Call, error: ApiError): Response | Promise<Response> {
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value)
  const language = languageOf(c)
  const hint = /^(rate_limited|unavailable)$/.test(error.code) ? "later" : "reload"
  const page = error.code === "not_found" ? closedPage(language) : notSentPage(language, hint)
  return c.html(page, ERROR_STATUS[error.code])
}

const isJson = (c: Call) =>
  !/^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(
    c.req.header("content-type") ?? "",
  )

async function readObject(request: Request): Promise<Posted> {
  const value = parseJson(await readBody(request, MAX_BYTES))
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid([], "The body must be a JSON object")
  }
  return { ...value }
}

/** A form's fields. Of a repeated one, the last counts. */
async function readFields(request: Request): Promise<Posted> {
  const body = await readBody(request, MAX_BYTES)
  const type = request.headers.get("content-type") ?? ""
  const form = await new Response(body as BodyInit, { headers: { "content-type": type } })
    .formData()
    .catch(() => {
      throw invalid([], "The body must be a form")
    })
  return Object.fromEntries(form)
}
