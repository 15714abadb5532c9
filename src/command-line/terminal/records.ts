import type { Command } from "commander"
import { findDomain } from "../domains.ts"
import { addRow, type Row } from "./rows.ts"
import type { Terminal } from "./terminal.ts"

type Group = { about: string; rows: Row[] }

const GROUPS: Record<string, Group> = {
  contacts: {
    about: "Contact books and their contacts",
    rows: [
      {
        usage: "books",
        does: "List contact books, newest first",
        call: (client, _, query) => client.contactBooks.list(query),
        columns: ["name", "contactCount", "subscribedCount", "id"],
        examples: ["edgepost contacts books"],
      },
      {
        usage: "list <book-id>",
        does: "List the contacts of a book, newest first",
        options: { "--q <text>": "the start of an address or a name" },
        call: (client, [book = ""], query) => client.contacts.list(book, query),
        columns: ["createdAt", "email", "subscribed", "id"],
        examples: ["edgepost contacts list cb_1", "edgepost contacts list cb_1 --q ada --json"],
      },
      {
        usage: "get <book-id> <id-or-address>",
        does: "Show a contact",
        call: async (client, [book = "", contact = ""]) => {
          if (!contact.includes("@")) return client.contacts.get(book, contact)
          const found = await client.contacts.getByEmail(book, contact)
          if (!found) throw new Error(`There is no contact ${contact} in ${book}.`)
          return found
        },
        examples: ["edgepost contacts get cb_1 ada@example.com"],
      },
      {
        usage: "set <book-id> <address>",
        does: "Add a contact, or change the one with the address",
        options: { "--first-name <name>": "first name", "--last-name <name>": "last name" },
        call: (client, [book = "", email = ""], names) =>
          client.contacts.upsert(book, { email, ...names }),
        examples: ["edgepost contacts set cb_1 ada@example.com --first-name Ada"],
      },
      {
        usage: "unsubscribe <address>",
        does: "Unsubscribe an address in every book",
        call: (client, [email = ""]) => client.contacts.unsubscribe({ email }),
        examples: ["edgepost contacts unsubscribe ada@example.com"],
      },
    ],
  },
  campaigns: {
    about: "Campaigns and their counts",
    rows: [
      {
        usage: "list",
        does: "List campaigns, newest first",
        call: (client, _, query) => client.campaigns.list(query),
        columns: ["createdAt", "status", "name", "id"],
        examples: ["edgepost campaigns list"],
      },
      {
        usage: "get <id>",
        does: "Show a campaign and its counts",
        call: (client, [id = ""]) => client.campaigns.get(id),
        examples: ["edgepost campaigns get cmp_1 --json"],
      },
      {
        usage: "links <id>",
        does: "List the links of a campaign, most clicks first",
        call: (client, [id = ""], query) => client.campaigns.links(id, query),
        columns: ["clicks", "recipients", "url"],
        examples: ["edgepost campaigns links cmp_1"],
      },
      {
        usage: "cancel <id>",
        does: "Cancel the emails of a campaign that the provider does not have yet",
        call: (client, [id = ""]) => client.campaigns.cancel(id),
        examples: ["edgepost campaigns cancel cmp_1"],
      },
      {
        usage: "pause <id>",
        does: "Hold the emails of a campaign that are in the queue",
        call: (client, [id = ""]) => client.campaigns.pause(id),
        examples: ["edgepost campaigns pause cmp_1"],
      },
      {
        usage: "resume <id>",
        does: "Resume a paused campaign",
        call: (client, [id = ""]) => client.campaigns.resume(id),
        examples: ["edgepost campaigns resume cmp_1"],
      },
    ],
  },
  keys: {
    about: "API keys",
    rows: [
      {
        usage: "list",
        does: "List API keys, newest first",
        call: (client, _, query) => client.apiKeys.list(query),
        columns: ["createdAt", "permission", "name", "keyPrefix", "id"],
        examples: ["edgepost keys list"],
      },
      {
        usage: "create <name>",
        does: "Create an API key; its secret is shown only once",
        options: { "--permission <permission>": "full or sending_only; by default full" },
        call: (client, [name = ""], options) => client.apiKeys.create({ name, ...options }),
        examples: ["edgepost keys create CI --permission sending_only"],
      },
      {
        usage: "remove <id>",
        does: "Revoke an API key for good",
        call: (client, [id = ""]) => client.apiKeys.remove(id),
        examples: ["edgepost keys remove key_1"],
      },
    ],
  },
  webhooks: {
    about: "",
    rows: [
      {
        usage: "list",
        does: "List webhooks, newest first",
        call: (client, _, query) => client.webhooks.list(query),
        columns: ["createdAt", "enabled", "name", "url", "id"],
        examples: ["edgepost webhooks list"],
      },
      {
        usage: "create <url> <events...>",
        does: "Create a webhook; its secret is shown only once",
        options: { "--name <name>": "what people call it, to tell webhooks of one host apart" },
        call: (client, [url = "", ...events], options) =>
          client.webhooks.create({ url, events, ...options } as Parameters<
            typeof client.webhooks.create
          >[0]),
        examples: ["edgepost webhooks create https://example.com/hook email.bounced"],
      },
      {
        usage: "test <id>",
        does: "Send a test event to a webhook",
        call: (client, [id = ""]) => client.webhooks.test(id),
        examples: ["edgepost webhooks test wh_1"],
      },
      {
        usage: "deliveries <id>",
        does: "List the deliveries of a webhook, newest first",
        options: { "--state <state>": "pending, succeeded, exhausted or failed" },
        call: (client, [id = ""], query) => client.webhooks.deliveries(id, query),
        columns: ["createdAt", "state", "eventType", "about", "attemptCount", "id"],
        examples: [
          "edgepost webhooks deliveries wh_1",
          "edgepost webhooks deliveries wh_1 --state failed",
        ],
      },
      {
        usage: "delivery <delivery-id>",
        does: "Show a delivery with its payload, and the answer to each attempt",
        call: (client, [id = ""]) => client.webhooks.delivery(id),
        examples: ["edgepost webhooks delivery whd_1 --json"],
      },
      {
        usage: "replay <delivery-id>",
        does: "Send the event of a delivery again, as a new delivery",
        call: (client, [id = ""]) => client.webhooks.replay(id),
        examples: ["edgepost webhooks replay whd_1"],
      },
    ],
  },
  domains: {
    about: "",
    rows: [
      {
        usage: "get <name-or-id>",
        does: "Show a domain and its DNS records",
        call: async (client, [domain = ""]) => client.domains.get(await findDomain(client, domain)),
        examples: ["edgepost domains get mail.example.com", "edgepost domains get dom_1"],
      },
      {
        usage: "remove <name-or-id>",
        does: "Delete a domain",
        call: async (client, [domain = ""]) =>
          client.domains.remove(await findDomain(client, domain)),
        examples: ["edgepost domains remove mail.example.com", "edgepost domains remove dom_1"],
      },
    ],
  },
}

/** Adds the commands of the table, also to groups that have other commands already. */
export function addRecords(program: Command, terminal: Terminal): void {
  for (const [name, { about, rows }] of Object.entries(GROUPS)) {
    const known = program.commands.find((one) => one.name() === name)
    const group = known ?? program.command(name).description(about)
    for (const row of rows) addRow(group, terminal, row)
  }
}
