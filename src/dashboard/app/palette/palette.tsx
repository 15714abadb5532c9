import { Dialog } from "@base-ui/react/dialog"
import { useNavigate } from "@tanstack/react-router"
import { Command } from "cmdk"
import { PAGES } from "../pages.ts"
import { useMay } from "../people.ts"
import { PLACES } from "../places.ts"
import { useEarlyEnter } from "../use-early-enter.ts"
import type { SetText } from "./palette-ahead.tsx"
import { PaletteFound } from "./palette-found.tsx"
import { Item } from "./palette-item.tsx"
import { PaletteObjects } from "./palette-objects.tsx"

const ACTIONS = [
  { label: "Send a test email", to: "/emails?send=true" },
  { label: "Create a template", to: "/templates/new" },
  { label: "Create a campaign", to: "/campaigns/new" },
  { label: "Create a sequence", to: "/sequences/new" },
  { label: "Create an API key", to: "/api-keys?new=true", manage: true },
  { label: "Add a domain", to: "/domains?new=true", manage: true },
  { label: "Add a webhook", to: "/webhooks?new=true", manage: true },
  { label: "Invite a teammate", to: "/team?new=true", manage: true },
]

/** Pages, actions, and a search by name, id or address. */
export default function Palette({
  text,
  setText,
  isEntered,
  onFocus,
  onClose,
  onHelp,
}: {
  text: string
  setText: SetText
  /** Enter was pressed while this was loading. */
  isEntered: boolean
  /** The field has the focus, and so gets what is typed. */
  onFocus(): void
  onClose(): void
  onHelp(): void
}) {
  const navigate = useNavigate()
  const may = useMay()
  const go = (href: string) => {
    onClose()
    navigate({ href: `/dashboard${href}` })
  }
  const query = text.trim()
  const { list, settled, isWaiting, onKeyDown } = useEarlyEnter(query, isEntered)
  const place = PLACES.find(([prefix]) => query.startsWith(prefix))?.[1](query)
  const isAllowed = ({ manage }: { manage?: boolean }) => !manage || may.manage
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-32px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg bg-raised shadow-float">
          <Dialog.Title className="sr-only">Go to</Dialog.Title>
          <Command label="Go to" onKeyDown={onKeyDown}>
            <Command.Input
              value={text}
              onValueChange={setText}
              onFocus={onFocus}
              placeholder="Search pages, actions, names, addresses and IDs"
              className="h-12 w-full border-b bg-transparent px-4 text-base outline-none"
            />
            <Command.List ref={list} aria-busy={isWaiting} className="max-h-96 overflow-y-auto p-2">
              <Command.Empty className="p-4 text-muted">No results.</Command.Empty>
              {place && (
                <Item value={query} onSelect={() => go(place)}>
                  Open <code className="font-mono text-xs break-all">{query}</code>
                </Item>
              )}
              {query.includes("@") && (
                <Item
                  value={`recipient ${query}`}
                  onSelect={() => go(`/recipients/${encodeURIComponent(query)}`)}
                >
                  View recipient {query}
                </Item>
              )}
              {query && (
                <Item
                  data-last-resort
                  value={`search ${query}`}
                  onSelect={() => go(`/emails?q=${encodeURIComponent(query)}`)}
                >
                  {isWaiting ? `Searching for “${query}” …` : `Search emails for “${query}”`}
                </Item>
              )}
              <PaletteFound text={query && settled} go={go} />
              <PaletteObjects shown={query !== ""} go={go} />
              <Command.Group heading="Pages" className="text-muted [&_[cmdk-item]]:text-ink">
                {PAGES.flat()
                  .filter(isAllowed)
                  .map(({ to, label, icon: Icon, key }) => (
                    <Item key={to} value={label} onSelect={() => go(to)}>
                      <Icon size={16} aria-hidden className="text-muted" />
                      {label}
                      <kbd className="ml-auto font-mono text-xs text-muted pointer-coarse:hidden">
                        g {key}
                      </kbd>
                    </Item>
                  ))}
              </Command.Group>
              <Command.Group heading="Actions" className="text-muted [&_[cmdk-item]]:text-ink">
                <Item
                  value="Keyboard shortcuts"
                  onSelect={() => {
                    onClose()
                    onHelp()
                  }}
                >
                  Keyboard shortcuts
                </Item>
                {ACTIONS.filter(isAllowed).map(({ label, to }) => (
                  <Item key={to} value={label} onSelect={() => go(to)}>
                    {label}
                  </Item>
                ))}
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
