import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router"
import type { FunctionComponent } from "react"
import { EdgepostError } from "../api/api.ts"
import { isSignedIn, queries, sessionQuery } from "../api/queries.ts"
import { ErrorBox } from "../ui/form/error-box.tsx"
import { Page } from "../ui/page.tsx"
import { Skeleton } from "../ui/waiting.tsx"
import { CodeMissing } from "./connection.tsx"
import { LeaveDialog } from "./leave-dialog.tsx"
import { Link } from "./link.tsx"
import { loadCode } from "./load-code.ts"
import { Shell } from "./shell.tsx"

type Module = { default: FunctionComponent }

const root = createRootRoute({
  component: () => (
    <>
      <CodeMissing />
      <Outlet />
      <LeaveDialog />
    </>
  ),
})

/** The pages that need a session. Reading the session is the first call of each. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Shell,
  beforeLoad: async ({ location }) => {
    const toSignIn = () =>
      redirect({ to: "/sign-in", search: { next: `/dashboard${location.href}` } as never })
    if (!(await isSignedIn())) throw toSignIn()
    try {
      const { secondFactorMissing } = await queries.ensureQueryData(sessionQuery)
      if (secondFactorMissing) throw redirect({ to: "/second-factor" })
    } catch (error) {
      if (error instanceof EdgepostError && error.status === 403) {
        throw redirect({ to: "/no-team" })
      }
      if (!(error instanceof EdgepostError) || error.status !== 401) throw error
      throw toSignIn()
    }
  },
})

const pageOf =
  <P extends typeof root | typeof signedIn>(parent: P) =>
  (path: string, load: () => Promise<Module>) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      component: lazyRouteComponent(() => loadCode(load)),
    })

const page = pageOf(signedIn)
const open = pageOf(root)

const routes = root.addChildren([
  open("/sign-in", () => import("../pages/sign-in/sign-in.tsx")),
  open("/reset-password", () => import("../pages/sign-in/reset.tsx")),
  open("/claim", () => import("../pages/sign-in/claim.tsx")),
  open("/second-factor", () => import("../pages/sign-in/second-factor.tsx")),
  open("/no-team", () => import("../pages/sign-in/no-team.tsx")),
  open("/invitation", () => import("../pages/sign-in/invitation.tsx")),
  signedIn.addChildren([
    page("/", () => import("../pages/overview/overview.tsx")),
    page("/start", () => import("../pages/first-run/start.tsx")),
    page("/emails", () => import("../pages/emails/emails.tsx")),
    page("/emails/$id", () => import("../pages/emails/email/email.tsx")),
    page("/recipients/$email", () => import("../pages/recipients/recipient.tsx")),
    page("/metrics", () => import("../pages/metrics/metrics.tsx")),
    page("/threads", () => import("../pages/threads/threads.tsx")),
    page("/threads/$id", () => import("../pages/threads/thread.tsx")),
    page("/inbox/{-$id}", () => import("../pages/inbox/inbox.tsx")),
    page("/suppressions", () => import("../pages/suppressions/suppressions.tsx")),
    page("/campaigns", () => import("../pages/campaigns/campaigns.tsx")),
    page("/campaigns/new", () => import("../pages/campaigns/new-campaign.tsx")),
    page("/campaigns/$id", () => import("../pages/campaigns/campaign.tsx")),
    page("/sequences", () => import("../pages/sequences/sequences.tsx")),
    page("/sequences/new", () => import("../pages/sequences/new-sequence.tsx")),
    page("/sequences/$id", () => import("../pages/sequences/sequence.tsx")),
    page("/contacts", () => import("../pages/contacts/books.tsx")),
    page("/contacts/$id", () => import("../pages/contacts/book.tsx")),
    page("/contacts/$id/import", () => import("../pages/contacts/import/import.tsx")),
    page("/forms", () => import("../pages/forms/forms.tsx")),
    page("/forms/$id", () => import("../pages/forms/form.tsx")),
    page("/segments", () => import("../pages/segments/segments.tsx")),
    page("/segments/$id", () => import("../pages/segments/segment.tsx")),
    page("/topics", () => import("../pages/topics/topics.tsx")),
    page("/templates", () => import("../pages/templates/templates.tsx")),
    page("/templates/new", () => import("../pages/templates/new-template.tsx")),
    page("/templates/$id", () => import("../pages/templates/template.tsx")),
    page("/layouts", () => import("../pages/layouts/layouts.tsx")),
    page("/layouts/$id", () => import("../pages/layouts/layout.tsx")),
    page("/domains", () => import("../pages/domains/domains.tsx")),
    page("/domains/$id", () => import("../pages/domains/domain.tsx")),
    page("/api-keys", () => import("../pages/api-keys/api-keys.tsx")),
    page("/refused-calls", () => import("../pages/api-keys/refused-calls.tsx")),
    page("/webhooks", () => import("../pages/webhooks/webhooks.tsx")),
    page("/webhooks/$id", () => import("../pages/webhooks/webhook.tsx")),
    page("/deliveries/$id", () => import("../pages/webhooks/delivery.tsx")),
    page("/team", () => import("../pages/team/team.tsx")),
    page("/audit-log", () => import("../pages/team/audit/audit-log.tsx")),
    page("/settings", () => import("../pages/team/settings.tsx")),
    page("/account", () => import("../pages/account/account.tsx")),
    createRoute({ getParentRoute: () => signedIn, path: "$", component: NotFound }),
  ]),
])

export const router = createRouter({
  routeTree: routes,
  basepath: "/dashboard",
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultPendingMs: 300,
  defaultPendingMinMs: 0,
  defaultPendingComponent: () => (
    <div className="mx-auto w-full max-w-6xl px-4 py-6 sm:px-8">
      <Skeleton />
    </div>
  ),
  defaultErrorComponent: PageError,
})

/** Loads the code of the page that was opened while its session is read. */
export function preloadPage() {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const { component } = router.routesById[routeId as "__root__"].options
    void (component as { preload?(): Promise<void> } | undefined)?.preload?.()
  }
}

function PageError({ error, reset }: ErrorComponentProps) {
  const again = () => router.invalidate().then(reset)
  return (
    <Page title="This page could not be loaded">
      <ErrorBox error={error} retry={again} />
    </Page>
  )
}

function NotFound() {
  return (
    <Page title="Page not found">
      <p className="wrap-anywhere">
        There is no page at {location.pathname}. The link may be old or misspelt.{" "}
        <Link to="/" className="underline">
          Go to the overview
        </Link>
      </p>
    </Page>
  )
}

declare module "@tanstack/react-router" {
  interface Register {
    // The pages' paths are plain strings: a page reads its parameters with `useParams`.
    router: ReturnType<typeof createRouter>
  }
}
