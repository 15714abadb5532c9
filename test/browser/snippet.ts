/** Runs a shown curl command as a shell would, for the parts of curl that the dashboard shows. */
export async function runCurl(command: string) {
  const [, method = "GET", url = ""] = /curl (?:-X (\w+) )?"([^"]+)"/.exec(command) ?? []
  const [, authorization = ""] = /-H "authorization: ([^"]+)"/.exec(command) ?? []
  const [, json] = / -d '([\s\S]*)'\s*$/.exec(command) ?? []
  const response = await fetch(url, {
    method,
    headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
    ...(json !== undefined && { body: json.replaceAll("'\\''", "'") }),
  })
  return { status: response.status, body: (await response.json()) as { id: string } }
}
