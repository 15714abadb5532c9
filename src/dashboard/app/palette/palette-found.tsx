import { useQueries } from "@tanstack/react-query"
import { Command } from "cmdk"
import type { findContacts as contactsEndpoint } from "../../../worker/contacts/dashboard-contract.ts"
import { api, call } from "../../api/api.ts"
import { recipientsOf } from "../../pages/emails/email/recipients.ts"
import { Item } from "./palette-item.tsx"

const SHORTEST = 3
const FEW = { limit: 5 }

interface Found {
  id: string
  title: string
  noun: string
  page: string
}

/** Emails, contacts and suppressions whose address, name or subject begins with `text`. */
export function PaletteFound({ text, go }: { text: string; go(href: string): void }) {
  const enabled = text.length >= SHORTEST && /[\p{L}\p{N}]/u.test(text)
  const isPart = !/\s/.test(text)
  const found = useQueries({
    queries: [
      {
        queryKey: ["palette", "emails", text],
        queryFn: ({ signal }) => findEmails(text, signal),
        enabled,
      },
      {
        queryKey: ["palette", "contacts", text],
        queryFn: ({ signal }) => findContacts(text, signal),
        enabled,
      },
      {
        queryKey: ["palette", "suppressions", text],
        queryFn: ({ signal }) => findSuppressions(text, signal),
        enabled: enabled && isPart,
      },
    ],
  }).flatMap(({ data }) => data ?? [])
  const items = [...new Map(found.map((one) => [one.id, one])).values()]
  if (!text || items.length === 0) return null
  return (
    <Command.Group data-answers heading="Found" className="text-muted [&_[cmdk-item]]:text-ink">
      {items.map(({ id, title, noun, page }) => (
        <Item key={id} value={`${text} ${id}`} onSelect={() => go(page)}>
          <span className="min-w-0 truncate">{title}</span>
          <span className="ml-auto shrink-0 text-xs text-muted">{noun}</span>
        </Item>
      ))}
    </Command.Group>
  )
}

async function findEmails(q: string, signal: AbortSignal) {
  const { data } = await api.emails.list({ q, ...FEW }, { signal })
  return data.map(
    (email): Found => ({
      id: email.id,
      title: `${email.subject} · ${recipientsOf(email).join(", ")}`,
      noun: "Email",
      page: `/emails/${email.id}`,
    }),
  )
}

async function findContacts(q: string, signal: AbortSignal) {
  const { data } = await call<typeof contactsEndpoint>(
    { method: "GET", path: "/contacts/search", query: { q } },
    { signal },
  )
  return data.map(
    ({ id, email, firstName, lastName, bookName }): Found => ({
      id,
      title: [[firstName, lastName].filter(Boolean).join(" "), email].filter(Boolean).join(" · "),
      noun: `Contact in ${bookName}`,
      page: `/recipients/${encodeURIComponent(email)}`,
    }),
  )
}

async function findSuppressions(q: string, signal: AbortSignal) {
  const { data } = await api.suppressions.list({ q, ...FEW }, { signal })
  return data.map(
    ({ id, email }): Found => ({
      id,
      title: email,
      noun: "Suppression",
      page: `/recipients/${encodeURIComponent(email)}`,
    }),
  )
}
