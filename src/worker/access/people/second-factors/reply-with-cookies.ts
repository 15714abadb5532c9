/** The library set the cookies. They are secrets, so no cache may store the reply. */
export function replyWithCookies(body: unknown, cookies: Headers): Response {
  const headers = new Headers({ "cache-control": "no-store" })
  for (const cookie of cookies.getSetCookie()) headers.append("set-cookie", cookie)
  return body === undefined
    ? new Response(null, { status: 204, headers })
    : Response.json(body, { headers })
}
