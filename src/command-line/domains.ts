import type { Command } from "commander"
import type { Domain, Edgepost, PageQuery } from "../client/index.ts"
import { iterate } from "../client/pages.ts"
import { normalizeDomain } from "../lib/address.ts"
import { createSession, type Session } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import { addPageOptions, printPage } from "./terminal/lists.ts"
import { clean, paintStatus, toTable } from "./terminal/paint.ts"
import type { Terminal } from "./terminal/terminal.ts"

export function addDomains(program: Command, terminal: Terminal): void {
  const domains = program.command("domains").description("Sending domains and their proof")

  const list = addPageOptions(
    domains.command("list").description("List domains, newest first"),
  ).action(async (query: PageQuery) => {
    const session = createSession(list, terminal)
    const titles = ["NAME", "STATUS", "PROVIDER", "ID"]
    printPage(session, await session.client.domains.list(query), titles, (one) => [
      one.name,
      one.status,
      one.provider,
      one.id,
    ])
  })
  withExamples(list, "edgepost domains list", "edgepost domains list --json")

  const add = domains
    .command("add")
    .description("Add a domain, and show the DNS records that prove it")
    .argument("<name>", "mail.example.com")
    .action(async (name: string) => {
      const session = createSession(add, terminal)
      const domain = await session.client.domains.create({ name })
      session.print(domain, toText(session, domain))
    })
  withExamples(add, "edgepost domains add mail.example.com")

  const verify = domains
    .command("verify")
    .description("Check the DNS records of a domain and its provider at once")
    .argument("<name-or-id>", "the name of a domain, or dom_...")
    .action(async (nameOrId: string) => {
      const session = createSession(verify, terminal)
      const id = await findDomain(session.client, nameOrId)
      const domain = await session.client.domains.verify(id)
      session.print(domain, toText(session, domain))
    })
  withExamples(
    verify,
    "edgepost domains verify mail.example.com",
    "edgepost domains verify dom_1 --json",
  )
}

/** The id of a domain. A name has a dot, an id has none. Several domains may have the name: the newest counts. */
export async function findDomain(client: Edgepost, nameOrId: string): Promise<string> {
  if (!nameOrId.includes(".")) return nameOrId
  const name = normalizeDomain(nameOrId) ?? nameOrId
  for await (const domain of iterate(client.domains.list, { limit: 100 })) {
    if (domain.name === name) return domain.id
  }
  throw new Error(`There is no domain ${nameOrId}.`)
}

function toText({ paint }: Session, { id, name, status, lastError, records }: Domain): string {
  const rows = records.map((record) => [
    record.ok ? "yes" : "no",
    record.type,
    record.name,
    record.priority === null ? record.value : `${record.priority} ${record.value}`,
  ])
  const table = rows.length > 0 ? [toTable(paint, ["SEEN", "TYPE", "NAME", "VALUE"], rows)] : []
  const error = lastError ? [clean(lastError)] : []
  return [`${name} ${paintStatus(paint, status)} (${id})`, ...error, ...table].join("\n")
}
