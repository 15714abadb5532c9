import { html, raw } from "hono/html"
import { AUTH_PREFIX, DASHBOARD_PREFIX } from "../contract.ts"
import { STYLE } from "./style.ts"
import { code } from "./text.ts"

/** The page at `/dashboard` until the dashboard has pages of its own. */
export const dashboardPage = (origin: string) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Edgepost dashboard</title>
<style>${raw(STYLE)}body{display:block}</style>
</head>
<body>
<main>
<h1>Edgepost dashboard</h1>
<section>
<p>This installation has no dashboard pages yet. The dashboard's API works: sign in with your email address and password, keep the cookie, and call what you need.</p>
${code(
  `curl ${origin}${AUTH_PREFIX}/sign-in/email \\
  -c cookies.txt \\
  -d '{ "email": "owner@example.com", "password": "…" }'

curl ${origin}${DASHBOARD_PREFIX}/session -b cookies.txt`,
  "Sign in and see who you are",
)}
<p>The reference has <a href="/docs#dashboard-calls">every call of the dashboard</a>.</p>
</section>
</main>
</body>
</html>`
