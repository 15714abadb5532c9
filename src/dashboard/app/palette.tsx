import { Dialog } from "@base-ui/react/dialog"
import { useNavigate } from "@tanstack/react-router"
import { Command } from "cmdk"
import { useState } from "react"
import { PAGES } from "./pages.ts"
import { useMay } from "./people.ts"
import { PLACES } from "./places.ts"

const ITEM =
  "flex cursor-default items-center gap-2 rounded-md px-2 py-2 data-[selected=true]:bg-sunken"

/** Pages, actions, and a search by id or address. */
export default function Palette({
  open,
  onOpenChange,
  onHelp,
}: {
  open: boolean
  onOpenChange(open: boolean): void
  /** Shows the keyboard shortcuts. */
  onHelp(): void
}) {
  const [text, setText] = useState("")
  const navigate = useNavigate()
  const may = useMay()
  const go = (href: string) => {
    onOpenChange(false)
    setText("")
    navigate({ href: `/dashboard${href}` })
  }
  const query = text.trim()
  const place = PLACES.find(([prefix]) => query.startsWith(prefix))?.[1](query)
  const actions = [
    { label: "Send a test email", to: "/emails?send=true" },
    { label: "Add a template", to: "/templates/new" },
    { label: "Write a campaign", to: "/campaigns/new" },
    ...(may.manage
      ? [
          { label: "Create an API key", to: "/api-keys?new=true" },
          { label: "Add a domain", to: "/domains?new=true" },
          { label: "Add a webhook", to: "/webhooks?new=true" },
          { label: "Invite somebody", to: "/team?new=true" },
        ]
      : []),
  ]
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-32px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg bg-raised shadow-float">
          <Dialog.Title className="sr-only">Go to</Dialog.Title>
          <Command label="Go to">
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="A page, an action, an address or an id"
              className="h-12 w-full border-b bg-transparent px-4 text-base outline-none"
            />
            <Command.List className="max-h-96 overflow-y-auto p-2">
              <Command.Empty className="p-4 text-muted">Nothing found.</Command.Empty>
              {place && (
                <Command.Item value={query} onSelect={() => go(place)} className={ITEM}>
                  Open <code className="font-mono text-xs break-all">{query}</code>
                </Command.Item>
              )}
              {query.includes("@") && (
                <Command.Item
                  value={`recipient ${query}`}
                  onSelect={() => go(`/recipients/${encodeURIComponent(query)}`)}
                  className={ITEM}
                >
                  Everything of {query}
                </Command.Item>
              )}
              {query && (
                <Command.Item
                  value={`search ${query}`}
                  onSelect={() => go(`/emails?q=${encodeURIComponent(query)}`)}
                  className={ITEM}
                >
                  Search emails for “{query}”
                </Command.Item>
              )}
              <Command.Group heading="Pages" className="text-muted [&_[cmdk-item]]:text-ink">
                {PAGES.flat()
                  .filter(({ manage }) => !manage || may.manage)
                  .map(({ to, label, icon: Icon, key }) => (
                    <Command.Item key={to} value={label} onSelect={() => go(to)} className={ITEM}>
                      <Icon size={16} aria-hidden className="text-muted" />
                      {label}
                      <kbd className="ml-auto font-mono text-xs text-muted">g {key}</kbd>
                    </Command.Item>
                  ))}
              </Command.Group>
              <Command.Group heading="Actions" className="text-muted [&_[cmdk-item]]:text-ink">
                <Command.Item
                  value="Keyboard shortcuts"
                  onSelect={() => {
                    onOpenChange(false)
                    onHelp()
                  }}
                  className={ITEM}
                >
                  Keyboard shortcuts
                </Command.Item>
                {actions.map(({ label, to }) => (
                  <Command.Item key={to} value={label} onSelect={() => go(to)} className={ITEM}>
                    {label}
                  </Command.Item>
                ))}
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
